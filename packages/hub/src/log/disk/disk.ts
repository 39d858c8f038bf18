/** The file operations that a log needs. Tests replace it with a disk that loses power. */
export interface Disk {
  /** Makes a folder and its parents if needed; all names in it are durable afterwards. */
  makeFolder(path: string): Promise<void>
  /** An existing file, open for reading and durable writing, or null; with `create` it is made if missing. */
  open(path: string, create: boolean): Promise<DiskFile | null>
  /** A value that changes when the file changes; null if there is no file. Optional. */
  stamp?(path: string): Promise<string | null>
  /** The whole of a small file, or null if there is none. */
  load(path: string): Promise<Buffer | null>
  /** Replaces a small file. After a power loss the old or the new file may be there, or damaged bytes. */
  replace(path: string, bytes: Buffer): Promise<void>
  /** Deletes a file if it exists; durable once its folder is synced. */
  unlink(path: string): Promise<void>
  /** Makes the names in a folder durable: without this a new file can vanish, even if its content was synced. */
  syncFolder(path: string): Promise<void>
}

export interface DiskFile {
  size(): Promise<number>
  /** Returns how many bytes were read; fewer than asked only at the end of the file. */
  read(into: Buffer, position: number): Promise<number>
  /** Resolves once the bytes are durable, with how many were written: an almost full disk takes only a part. */
  write(bytes: Buffer, position: number): Promise<number>
  /** Cuts the file, and makes the cut and the rest durable. */
  truncate(size: number): Promise<void>
  /** Makes durable what an earlier process may have written without a sync. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Reads exactly `length` bytes from `position`, into a new buffer or the one given. */
export async function readExactly(
  file: DiskFile,
  position: number,
  length: number,
  into?: Buffer,
): Promise<Buffer> {
  const bytes = into ? into.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  const read = await file.read(bytes, position)
  if (read < length) throw new Error(`the file ends ${length - read} bytes before byte ${position + length}`)
  return bytes
}

/**
 * Writes all bytes durably, at most `stepBytes` at once: a power loss can only lose or tear that many at the end of the file.
 */
export async function writeWhole(
  file: DiskFile,
  bytes: Buffer,
  position: number,
  stepBytes: number,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const step = bytes.subarray(done, done + stepBytes)
    const written = await file.write(step, position + done)
    if (written === 0) throw new Error('the disk takes no bytes')
    done += written
  }
}

/** Cuts the file, at most `stepBytes` at once, for the same reason. */
export async function cutBack(file: DiskFile, from: number, to: number, stepBytes: number): Promise<void> {
  let size = from
  do {
    size = Math.max(to, size - stepBytes)
    await file.truncate(size)
  } while (size > to)
}
