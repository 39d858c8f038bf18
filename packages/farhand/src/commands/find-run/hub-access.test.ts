import { existsSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { startHub } from '@farhand/hub/hub'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { hubAccess } from './hub-access.ts'

const newState = async () => new StateFolder(await temporaryFolder())
const remember = (state: StateFolder, url: string, token: string) =>
  state.save({
    folder: `/somewhere/${url}`,
    url,
    token,
    at: { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') },
    wins: 'disk',
    device: newId(DeviceId, 'dev'),
    generations: [],
  })

describe('the hub', () => {
  it('is the one of the command line, before that of the environment', async () => {
    const state = await newState()
    const env = { FARHAND_URL: 'http://b:1', FARHAND_TOKEN: 'fh_b' }
    const context = testContext({ env })
    expect(await hubAccess({ hub: 'http://a:1/', token: 'fh_a' }, state, context)).toEqual({
      url: 'http://a:1',
      token: 'fh_a',
    })
    expect(await hubAccess({}, state, context)).toEqual({ url: 'http://b:1', token: 'fh_b' })
  })

  it('may be given as the link to sign in', async () => {
    const said = { hub: 'http://a:1/#token=fh_a' }
    expect(await hubAccess(said, await newState(), testContext())).toEqual({
      url: 'http://a:1',
      token: 'fh_a',
    })
    for (const path of ['', '/', '/in', '/runs/run_1/files', '/settings/'])
      expect(
        await hubAccess({ ...said, hub: `http://a:1/hub${path}#token=x` }, await newState(), testContext()),
      ).toEqual({
        url: 'http://a:1/hub',
        token: 'x',
      })
    await expect(hubAccess({ hub: 'ftp://a' }, await newState(), testContext())).rejects.toThrow(
      'is not the address',
    )
  })

  it('is the one that this machine knows, if there is only one', async () => {
    const state = await newState()
    remember(state, 'http://a:1', 'fh_a')
    expect(await hubAccess({}, state, testContext())).toEqual({ url: 'http://a:1', token: 'fh_a' })
    expect(await hubAccess({ hub: 'http://a:1' }, state, testContext())).toMatchObject({ token: 'fh_a' })
    remember(state, 'http://b:1', 'fh_b')
    await expect(hubAccess({}, state, testContext())).rejects.toMatchObject({
      message: expect.stringMatching(/Which hub\?.* http:\/\/a:1, http:\/\/b:1/),
      nextStep: expect.stringContaining('--hub <url>'),
    })
  })

  it('is found by its data folder, whose owner gets a token that works and is said to be new', async () => {
    const data = await temporaryFolder()
    const hub = await startHub(HubConfig.parse({ port: 0, data, logLevel: 'silent' }))
    onTestFinished(() => hub.stop())
    const access = await hubAccess({}, await newState(), testContext({ env: { FARHAND_DATA: data } }))
    expect(access).toMatchObject({ url: hub.url, madeFor: 'owner' })
    const me = await fetch(`${hub.url}/api/me`, { headers: { Authorization: `Bearer ${access.token}` } })
    expect(await me.json()).toMatchObject({ role: 'owner' })
  })

  it('is never one that only files in a folder speak of: a repository could bring them along', async () => {
    const cwd = await temporaryFolder()
    const data = path.join(cwd, '.farhand')
    await mkdir(data)
    await writeFile(
      path.join(data, 'hub.json'),
      JSON.stringify({ url: 'http://evil.test', pid: process.pid }),
    )
    const context = testContext({ cwd, env: { FARHAND_TOKEN: 'fh_a' } })
    const refused = { message: expect.stringContaining('No hub is running') }
    await writeFile(path.join(data, 'lock.sqlite'), '')
    await symlink(path.join(cwd, 'made'), path.join(data, 'store.sqlite'))
    await expect(hubAccess({}, await newState(), context)).rejects.toMatchObject(refused)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    await rm(path.join(data, 'store.sqlite'))
    await writeFile(path.join(data, 'store.sqlite'), '')
    await expect(hubAccess({}, await newState(), context)).rejects.toMatchObject(refused)
  })

  it('is not guessed when it has been stopped', async () => {
    const data = await temporaryFolder()
    const hub = await startHub(HubConfig.parse({ port: 0, data, logLevel: 'silent' }))
    await hub.stop()
    await expect(
      hubAccess({}, await newState(), testContext({ env: { FARHAND_DATA: data } })),
    ).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('No hub is running'),
      nextStep: expect.stringMatching(/npx farhand run` starts one in the background, `npx farhand hub`/),
    })
  })
})
