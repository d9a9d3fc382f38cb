/** later */
export {};
