import type { CallOptions } from './call.ts'
import { patience } from './retry.ts'

/**
 * What `rest` yields, across broken connections: each time it is called it must continue after what it has yielded
 * so far. Whatever arrives renews its patience.
 */
export async function* resume<T>(
  rest: () => AsyncGenerator<T>,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  const { renew, outlast } = patience(options)
  for (;;) {
    try {
      for await (const item of rest()) {
        renew()
        yield item
      }
      return
    } catch (error) {
      // Here what is missing can be asked for again; every other trouble is the caller's.
      await outlast(error)
    }
  }
}
