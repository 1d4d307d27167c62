/** The registry behind `@Type`, which class-transformer ships without a type declaration. */
declare module 'class-transformer/cjs/storage.js' {
  export const defaultMetadataStorage: {
    findTypeMetadata(
      target: object,
      propertyName: string,
    ): { readonly reflectedType: unknown; readonly typeFunction: () => object } | undefined;
  };
}
