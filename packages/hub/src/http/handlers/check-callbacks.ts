import type { RegisterCallback } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import { whyWebHookRefused } from '../../notify/outbound-post.ts'

/** Refuses web hooks that would never be called, and says why (W14). Later the hub could not tell the user. */
export async function checkCallbacks(
  callbacks: RegisterCallback['callbacks'],
  allowPrivate: boolean,
): Promise<void> {
  const whys = await Promise.all(callbacks.map(({ url }) => whyWebHookRefused(url, allowPrivate)))
  for (const [index, why] of whys.entries()) {
    if (why === null) continue
    const field = `callbacks.${index}.url`
    throw new Fault('request.malformed', `${field}: ${why}`, { field })
  }
}
