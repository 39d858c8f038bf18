import type { Hub } from '@farhand/client/requests/hub'
import { paths } from '@farhand/protocol/wire/routes'

/** Whether a hub answers at an address, and accepts the token. Anything that is not a hub counts as `silent`. */
export async function askHub(
  { url, token, fetch = globalThis.fetch }: Hub,
  signal: AbortSignal,
  limitMs: number,
): Promise<'knows-us' | 'knows-us-not' | 'silent'> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(url + paths.me(), { signal: within, headers, redirect: 'manual' })
    await answer.body?.cancel()
    return answer.status === 200 ? 'knows-us' : answer.status === 401 ? 'knows-us-not' : 'silent'
  } catch {
    // No answer, or not in time.
    return 'silent'
  }
}
