import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/** A file, an executable file, a link: as git writes them. */
export const FileMode = z.enum(['100644', '100755', '120000'])
export type FileMode = z.infer<typeof FileMode>

/** Mode and content of a file (S1). For a link the hash is that of its target. */
export const FileEntry = z.looseObject({ mode: FileMode, hash: BlobHash })
export type FileEntry = z.infer<typeof FileEntry>

/** The entry at this path that the writer had last seen, null for no file (S3). */
const Was = FileEntry.nullable().optional()

export const FileWrite = z.looseObject({
  path: WorkspacePath,
  action: z.enum(['created', 'modified']),
  hash: BlobHash,
  size: z.number().int().nonnegative().optional(),
  mode: FileMode.optional(),
  was: Was,
})
export type FileWrite = z.infer<typeof FileWrite>

export const FileDelete = z.looseObject({ path: WorkspacePath, action: z.literal('deleted'), was: Was })
export type FileDelete = z.infer<typeof FileDelete>

export const FileChange = z.discriminatedUnion('action', [FileWrite, FileDelete])
export type FileChange = z.infer<typeof FileChange>

const oneOrSeveral = () =>
  z.union([z.looseObject({ files: z.array(FileChange).min(1).max(1000) }), FileChange])

/** The files that a runner has changed: one, or several, which are then applied in their order. */
export const FileChanges = oneOrSeveral()
export type FileChanges = z.infer<typeof FileChanges>

/** The files that a user has changed on a device or a page. */
export const FileSync = oneOrSeveral()
export type FileSync = z.infer<typeof FileSync>

export const KeptWhy = z.enum(['overruled', 'replaced', 'deleted', 'offered'])
export type KeptWhy = z.infer<typeof KeptWhy>

/** A version that is not in the tree, stored so that it can be put back (S4). */
export const FileKept = z.looseObject({
  path: WorkspacePath,
  hash: BlobHash,
  mode: FileMode.optional(),
  why: KeptWhy,
})
export type FileKept = z.infer<typeof FileKept>

export const FileRequest = z.looseObject({ path: WorkspacePath })
export type FileRequest = z.infer<typeof FileRequest>

/** Text as `content`, anything else as a blob, or `missing` when there is no such file. */
export const FileContent = z
  .looseObject({
    path: WorkspacePath,
    content: z.string().optional(),
    hash: BlobHash.optional(),
    missing: z.literal(true).optional(),
  })
  .refine((file) => file.content !== undefined || file.hash !== undefined || file.missing, {
    path: ['content'],
    message: 'expected content, hash or missing',
  })
export type FileContent = z.infer<typeof FileContent>
