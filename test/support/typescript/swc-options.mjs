/**
 * How TypeScript becomes JavaScript outside `tsc`: for Jest and for programs run straight from
 * their source (`register.mjs`). Says the same as tsconfig.json where the output depends on it.
 *
 * @type {import('@swc/core').Options}
 */
export const swcOptions = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};
