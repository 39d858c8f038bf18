/** How much one request may hold (W10, W24), and how much may be open in a run. Writers put larger values into blobs. */
export const limits = {
  eventBytes: 1024 * 1024,
  /** How deep the values of an event may be nested: JSON.stringify of deeper ones overflows the stack. */
  eventDepth: 100,
  eventsPerRequest: 1000,
  requestBytes: 8 * 1024 * 1024,
  /** Contents that come inside a file event, of one file and of one request; larger ones go into blobs (W63). */
  inlineBytes: 256 * 1024,
  inlineBytesPerRequest: 1024 * 1024,
  hashesPerRequest: 1000,
  /** How many blobs the events of one request may name in all: the hub looks up each before it stores an event. */
  blobsPerRequest: 4000,
  /** The hub reads a patch while other requests wait, and every copied part is a read from disk (W35). */
  partsPerPatch: 4096,
  /** How many patches a hub keeps in memory until it has made blobs of them. */
  patchesWaiting: 16,
  patchBytesWaiting: 32 * 1024 * 1024,
  /** How many messages of a run may wait for the end of their turn. */
  openMessages: 1000,
  openQuestions: 100,
  pageSize: 50,
} as const
