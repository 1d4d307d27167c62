/** What the container hands out under this name: the {@link import('./port.js').ReadModel}. */
export const READ_MODEL = Symbol('ReadModel');
