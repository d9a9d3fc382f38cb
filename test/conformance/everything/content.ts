/** A tiny image and an empty sound. */
import type { AudioContent, ImageContent } from 'mooring';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

export const image: ImageContent = { type: 'image', data: PIXEL, mimeType: 'image/png' };
export const imageBytes: Uint8Array = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
/** A WAV header without samples. */
export const audio: AudioContent = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
};
