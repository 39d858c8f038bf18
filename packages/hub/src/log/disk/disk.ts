/** The few file operations a log needs, so that a test can stand in for a disk that loses power. */
export interface Disk {
  /** Makes a folder, and those above it, if need be; all names in it are durable afterwards. */
  makeFolder(path: string): Promise<void>
  /** An existing file, open for reading and durable writing, or null; with `create` it is made if need be. */
  open(path: string, create: boolean): Promise<DiskFile | null>
  /** What changes when the file does; null if there is none. Not every disk can tell. */
  stamp?(path: string): Promise<string | null>
  /** The whole of a small file, or null if there is none. */
  load(path: string): Promise<Buffer | null>
  /** Puts a small file in place of another. After a power loss either of them may be there, or damaged bytes. */
  replace(path: string, bytes: Buffer): Promise<void>
  /** Takes a name away, if it is there; for good once its folder is synced. */
  unlink(path: string): Promise<void>
  /** Makes the names in a folder durable: without it a new file can vanish, whatever was synced inside it. */
  syncFolder(path: string): Promise<void>
}

export interface DiskFile {
  size(): Promise<number>
  /** How many bytes were read; fewer than asked only at the end of the file. */
  read(into: Buffer, position: number): Promise<number>
  /** Resolves once the bytes are durable, with how many were taken: a filling disk takes a part. */
  write(bytes: Buffer, position: number): Promise<number>
  /** Cuts the file and makes the cut, and all that is left, durable. */
  truncate(size: number): Promise<void>
  /** Makes durable what an earlier process may have written without waiting for the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The bytes from `position`, all of them, in a buffer of their own or in the one given. */
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
 * Writes all of the bytes durably, no more than `stepBytes` at once: whenever the power fails, only so many at the end
 * of the file can be lost or torn.
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

/** Cuts the file, no more than `stepBytes` at once, for the same reason. */
export async function cutBack(file: DiskFile, from: number, to: number, stepBytes: number): Promise<void> {
  let size = from
  do {
    size = Math.max(to, size - stepBytes)
    await file.truncate(size)
  } while (size > to)
}
