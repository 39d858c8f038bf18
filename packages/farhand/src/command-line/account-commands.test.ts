import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { userKeychain } from '@farhand/device/account/user-keychain'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runHere, testContext } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(() => hub.kill('SIGKILL'))

it('who signs in once is known to every command after that, until they sign out', async () => {
  const [state, cwd] = [await temporaryFolder(), await temporaryFolder()]
  const here = (...words: string[]) => runHere([...words, '--state', state], { cwd })
  const { out } = await here('login', `${hub.url}/#token=${hub.token}`, '--json')
  expect(JSON.parse(out)).toEqual({ hub: hub.url, user: 'owner', keptIn: 'file' })
  expect((await here('ls')).out).toMatch(/There is no run yet/)

  expect((await here('logout')).out).toMatch(`Signed out of ${hub.url}`)
  expect(new StateFolder(state).tokens.urls()).toEqual([])
  await expect(here('ls', '--hub', hub.url)).rejects.toMatchObject({ exit: 'usage' })
  await expect(here('logout')).rejects.toMatchObject({ message: 'Not signed in to any hub.' })
})

it('a token that the hub does not know is not kept, and what is no hub is not signed in to', async () => {
  const state = await temporaryFolder()
  const login = (...words: string[]) => runHere(['login', ...words, '--state', state])
  await expect(login(hub.url, '--token', 'fh_wrong')).rejects.toMatchObject({
    message: `The hub at ${hub.url} does not know this token.`,
  })
  await expect(login('http://127.0.0.1:9', '--token', 'x')).rejects.toMatchObject({ exit: 'failed' })
  await expect(login(`${hub.url}/in#code=ABC`)).rejects.toMatchObject({
    message: expect.stringContaining('signs in a browser'),
  })
  await expect(login('hub')).rejects.toMatchObject({ message: '"hub" is not the address of a hub.' })
  await expect(login(hub.url)).rejects.toMatchObject({ message: `Not signed in to ${hub.url}.` })
  expect(new StateFolder(state).tokens.urls()).toEqual([])
})

it('a token can be piped in, and be asked for where it is not shown', async () => {
  const state = await temporaryFolder()
  const words = ['login', hub.url, '--state', state]
  const input = () => Readable.from([Buffer.from(`${hub.token}\n`)])
  expect((await runHere(words, { input })).out).toMatch(/Signed in to .* as owner/)
  const askHidden = async () => hub.token
  expect((await runHere(words, { askHidden })).out).toMatch(/Signed in to .* as owner/)
})

it('the user is not asked for a token if there is no hub', async () => {
  const state = await temporaryFolder()
  const website = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void website.close())
  const { port } = website.address() as AddressInfo
  const askHidden = async () => expect.unreachable()
  const login = (url: string) => runHere(['login', url, '--state', state], { askHidden })
  await expect(login('http://127.0.0.1:9')).rejects.toThrow('No hub answers at http://127.0.0.1:9')
  await expect(login(`http://127.0.0.1:${port}`)).rejects.toThrow('No hub answers')
})

it('only the usual state folder has its tokens in the keychain, where there is one', () => {
  const context = testContext({ home: '/home/ada', platform: 'darwin' })
  expect(userKeychain(stateFolderPath(undefined, context), context)).not.toBeNull()
  expect(userKeychain('/elsewhere', context)).toBeNull()
  const linux = testContext({ home: '/home/ada', platform: 'linux' })
  const place = path.join('/home/ada/.local/state/farhand')
  expect(userKeychain(place, linux)).toBeNull()
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus', FARHAND_STATE: '/elsewhere' }
  expect(userKeychain(place, { ...linux, env })).not.toBeNull()
  expect(userKeychain('/elsewhere', { ...linux, env })).toBeNull()
})
