/** The registry behind `@Type`, which class-transformer ships without a type declaration. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
