/** Nothing in the task store is sealed. */
export const NO_KEYS = {
  find: async () => Promise.resolve(undefined),
  findAll: async () => Promise.resolve(new Map<string, never>()),
};
