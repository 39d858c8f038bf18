import type { HubParts } from '../../hub-parts/hub-parts.ts'

/** Call it after tokens were revoked: they work no more from now on, and their open streams end, not only at the next check. */
export async function endAccess({ signIn, streams }: HubParts): Promise<void> {
  signIn.forget()
  await streams.endRejected((token) => signIn.isGood(token))
}
