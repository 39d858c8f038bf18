import { crc32 } from 'node:zlib'

/** The sum of a stored line, of all that comes before it there. It tells of damage; it keeps nobody from forging. */
export const sumOf = (before: string | Uint8Array): string => crc32(before).toString(16).padStart(8, '0')
