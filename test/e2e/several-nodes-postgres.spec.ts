import { freshDatabase } from './support/postgres-stores.js';
import { severalNodes } from './support/several-nodes.js';

severalNodes('postgres', async () => {
  const { url, stop } = await freshDatabase();
  // Keys and tasks are in it, too.
  return { env: { EVENT_STORE: url }, stop };
});
