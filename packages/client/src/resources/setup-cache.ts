import { Ok } from '@farhand/protocol/schemas/api'
import { SetupCache } from '@farhand/protocol/schemas/setup-cache'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'
import { Refusal } from '../requests/refusal.ts'

/** The cached result of a setup command, from any run of the project; null if there is none for this key. */
export async function findSetupCache(
  hub: Hub,
  at: RunAddress,
  key: string,
  options?: CallOptions,
): Promise<SetupCache | null> {
  try {
    return await call(hub, { path: paths.setupCache(at, key) }, SetupCache, options)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'setup.unknown') return null
    throw error
  }
}

/** Caches the result of a setup command; refused once an agent has worked in the run. The blob may be uploaded afterwards. */
export async function keepSetupCache(
  hub: Hub,
  at: RunAddress,
  key: string,
  cache: SetupCache,
  options?: CallOptions,
): Promise<void> {
  await call(hub, jsonRequest('PUT', paths.setupCache(at, key), cache), Ok, options)
}
