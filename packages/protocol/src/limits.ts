/** What one request may carry (W10, W24). A writer puts larger values into blobs. */
export const limits = {
  eventBytes: 1024 * 1024,
  /** How deep the values of an event may be nested. Writing deeper ones down again takes more stack than there is. */
  eventDepth: 100,
  eventsPerRequest: 1000,
  requestBytes: 8 * 1024 * 1024,
  hashesPerRequest: 1000,
  pageSize: 50,
} as const
