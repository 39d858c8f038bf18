/** What one request may carry (W10, W24), and what may be open in a run. A writer puts larger values into blobs. */
export const limits = {
  eventBytes: 1024 * 1024,
  /** How deep the values of an event may be nested. Writing deeper ones down again takes more stack than there is. */
  eventDepth: 100,
  eventsPerRequest: 1000,
  requestBytes: 8 * 1024 * 1024,
  /** Contents that come inside a file event, of one file and of one request; larger ones go into blobs (W63). */
  inlineBytes: 256 * 1024,
  inlineBytesPerRequest: 1024 * 1024,
  hashesPerRequest: 1000,
  /** How many blobs the events of one request may name in all: each is looked up before anything is stored. */
  blobsPerRequest: 4000,
  /** A patch is taken apart where everyone waits for it, and every stretch is a read: many small ones are dear (W35). */
  partsPerPatch: 4096,
  /** What a hub holds of patches that wait to be made blobs of. */
  patchesWaiting: 16,
  patchBytesWaiting: 32 * 1024 * 1024,
  /** How many messages of a run may wait for the end of their turn. */
  openMessages: 1000,
  openQuestions: 100,
  pageSize: 50,
} as const
