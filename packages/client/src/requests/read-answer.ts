import { FaultAnswer, type FaultDetails } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { Refusal, Unreachable } from './refusal.ts'

const longestRetryAfterMs = 5 * 60_000

/** The text of an answer, if it is no longer than a hub would make it: an endless one must not fill the memory. */
export async function readText(response: Response, mostBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const piece = await reader?.read()
    if (!piece || piece.done) return text + decoder.decode()
    bytes += piece.value.length
    if (bytes > mostBytes) {
      await reader?.cancel()
      throw new Unreachable(`an answer of more than ${mostBytes} bytes`)
    }
    text += decoder.decode(piece.value, { stream: true })
  }
}

/** The error of an answer without success. Only an error of a hub is a Refusal: proxies and sign-in pages answer too. */
export async function readRefusal(response: Response): Promise<Refusal | Unreachable> {
  const { status, headers } = response
  const text = await readText(response, limits.eventBytes)
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  const answer = FaultAnswer.safeParse(tryJson(text))
  if (status >= 400 && answer.success) {
    const { code, message, remedy, ...details } = answer.data.error
    return new Refusal({ status, code, message, remedy, retryAfterMs }, details as FaultDetails)
  }
  const location = headers.get('location')
  const what = location ? `a redirect to ${location}` : `${status} ${response.statusText}`.trim()
  return new Unreachable(
    `another server than a hub answered, with ${what}: ${text.slice(0, 200)}`,
    undefined,
    { status, retryAfterMs },
  )
}

// Bounded, even if a proxy asks for more: a user is waiting.
function readRetryAfter(header: string | null): number {
  return Math.min(Math.max(Number(header ?? 0) * 1000 || 0, 0), longestRetryAfterMs)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An answer that is not JSON does not come from a hub; the caller then reports that.
    return undefined
  }
}
