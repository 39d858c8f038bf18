import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { HubTokens } from '@farhand/sync/state/hub-tokens'
import { expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'

const [own, other] = ['http://127.0.0.1:21437', 'https://hub.example']

/** A user with a hub of their own, whose runs there have noted its token as those of any hub do. */
async function withOwnHub() {
  const state = await temporaryFolder()
  mkdirSync(path.join(state, 'hub'), { mode: 0o700 })
  new LocalHub(state).save({ url: own, token: 'fh_own' })
  const tokens = new HubTokens(state)
  tokens.keep(own, 'fh_own')
  return { tokens, logout: (...hub: string[]) => runHere(['logout', ...hub, '--state', state]) }
}

it('logout does not claim to sign out of the user’s own hub, which needs no sign-in', async () => {
  const { tokens, logout } = await withOwnHub()
  await expect(logout(own)).rejects.toMatchObject({
    message: `${own} is your own hub: it needs no sign-in.`,
  })
  await expect(logout()).rejects.toMatchObject({ message: 'Not signed in to any hub.' })
  expect(tokens.urls()).toEqual([own])
})

it('the only hub that the user has signed in to is meant, even if they have one of their own', async () => {
  const { tokens, logout } = await withOwnHub()
  tokens.keep(other, 'fh_theirs', true)
  expect((await logout()).out).toContain(`Signed out of ${other}`)
  expect(tokens.urls()).toEqual([own])
})
