import { readSmallFile } from '../read-small-file.ts'

const mostBytes = 1024 * 1024

/** The text of an ignore file; null if there is none to read. Like git, which does not follow a link from here either. */
export const readRules = (file: string): string | null => readSmallFile(file, mostBytes)
