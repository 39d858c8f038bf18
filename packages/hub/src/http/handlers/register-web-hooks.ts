import { RegisterCallback } from '@farhand/protocol/schemas/api'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { isObject } from '@farhand/protocol/wire/is-object'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { Principal } from '../../access/principal.ts'
import { whyWebHookRefused } from '../../notify/outbound-post.ts'
import { addCallbacks } from '../../store/callbacks.ts'
import { parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

type Fields = Record<string, unknown>

const hookMethods: readonly unknown[] = ['register_callback', wireName('register_callback')]

/** The request for web hooks, as 001 writes it or as a notification; a stored notification would register nothing. */
export function webHooksAsked(value: unknown): Fields | null {
  if (!isObject(value)) return null
  if (value.type === 'register_callback') return value
  if (value.jsonrpc !== '2.0' || !hookMethods.includes(value.method)) return null
  return { ...(isObject(value.params) && value.params), type: 'register_callback' }
}

/** Registers the web hooks for what comes in the run from now on (W14); returns how many. */
export async function registerWebHooks(
  { db, log, config, webHooks }: HubParts,
  who: Principal,
  run: RunId,
  asked: Fields,
): Promise<number> {
  const { callbacks } = parse(RegisterCallback, asked)
  if (who.kind === 'runner') throw new Fault('role.refused', 'this is for clients; a runner may not send it')
  await refuseUnreachable(callbacks, config.allowPrivateCalls)
  const { lastId } = await log.head(run)
  await addCallbacks(db, run, callbacks, new Date(), lastId)
  webHooks.registered(run)
  return callbacks.length
}

/** Refuses web hooks that would never be called, and says why. Later the hub could not tell the user. */
async function refuseUnreachable(
  callbacks: RegisterCallback['callbacks'],
  allowPrivate: boolean,
): Promise<void> {
  const whys = await Promise.all(callbacks.map(({ url }) => whyWebHookRefused(url, allowPrivate)))
  for (const [index, why] of whys.entries()) {
    if (why !== null) throw malformed(`callbacks.${index}.url`, why)
  }
}
