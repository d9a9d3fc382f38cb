/** The host's table of applications, which reads their files: `install`, `servers` and `import` go by the same one. */
export { type Application, applicationOf, applications, dialectOf } from '../../host/config/applications.ts';
export { applicationFolders, type ConfigPlace, configPlaces, projectOf } from '../../host/config/config-places.ts';
export { markedReference, type Refer } from '../../host/config/dialects.ts';
