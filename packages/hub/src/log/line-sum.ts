import { crc32 } from 'node:zlib'

/** The checksum of a stored line, over everything before it in the line. It detects damage, not forgery. */
export const sumOf = (before: string | Uint8Array): string => crc32(before).toString(16).padStart(8, '0')
