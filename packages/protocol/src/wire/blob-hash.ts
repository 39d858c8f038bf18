import { z } from 'zod'

/** The name of a blob: the SHA-256 of its bytes, in lower-case hex. */
export const BlobHash = z
  .string()
  .regex(/^sha256_[0-9a-f]{64}$/, 'expected sha256_ and 64 lower-case hex digits')
  .brand<'BlobHash'>()
export type BlobHash = z.infer<typeof BlobHash>
