import process from 'node:process'
import type { Writable } from 'node:stream'

/**
 * Writers for standard output and standard error. Lines written in the same tick reach a reading program together; where both
 * streams go to the same place, such as a log file, the order of the lines is kept.
 */
export function orderedOutput(stdout: Writable, stderr: Writable) {
  const flush = () => {
    while (stdout.writableCorked > 0) stdout.uncork()
  }
  return {
    out(text: string): void {
      // A linked folder prints several lines for one change: a program that reads them wakes up once.
      stdout.cork()
      stdout.write(text)
      process.nextTick(flush)
    },
    note(text: string): void {
      flush()
      stderr.write(text)
    },
  }
}
