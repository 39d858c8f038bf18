import process from 'node:process'
import type { Writable } from 'node:stream'

/**
 * Writers for standard output and standard error. What is said at once on the first reaches a program that reads it at
 * once; and where both go to the same place, such as a log, everything is there in the order in which it was said.
 */
export function orderedOutput(stdout: Writable, stderr: Writable) {
  const flush = () => {
    while (stdout.writableCorked > 0) stdout.uncork()
  }
  return {
    out(text: string): void {
      // A linked folder says several things about one change: a program that reads them is woken once.
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
