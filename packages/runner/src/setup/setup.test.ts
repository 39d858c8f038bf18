import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import type { ProjectId, TaskId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Setup, type SetupTerms } from './setup.ts'

let hub: HubProcess
let user: Hub
let project: ProjectId
let task: TaskId
const folders: string[] = []

beforeAll(async () => {
  hub = await HubProcess.start()
  user = { url: hub.url, token: hub.token }
  project = (await createProject(user, { name: 'test' })).id
  task = (await createTask(user, project, { title: 'test' })).id
})
afterAll(async () => {
  await hub.kill()
  for (const folder of [hub.data, ...folders]) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'farhand-setup-'))
  folders.push(made)
  return made
}

const secret = { name: 'NPM_TOKEN', value: 'hunter2-hunter2' }

/** A sandbox of a run of its own, with these files in its workspace. */
async function sandbox(
  files: Record<string, string> = { '.gitignore': 'node_modules\ndist\n', 'package-lock.json': '1' },
) {
  const at = addressOf(await createRun(user, project, task, { sandbox: 'none' }))
  const { token } = await beginRunner(user, at)
  const [cwd, state, home] = [folder(), folder(), folder()]
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text)
  const begin = (terms: SetupTerms) => {
    const said: Notification[] = []
    const stop = new AbortController()
    const { PATH = '' } = process.env
    const setup = new Setup({
      hub: { url: hub.url, token },
      at,
      state,
      signal: stop.signal,
      terms: { worthMs: 0, ...terms },
      cwd,
      env: { PATH, HOME: home, [secret.name]: secret.value },
      secrets: [secret],
      emit: (event) => said.push(event),
    })
    const end = () => said.find(({ method }) => method === '_posthog/phase_complete')?.params
    const printed = () =>
      said.filter(({ method }) => method === '_posthog/console').map(({ params }) => params)
    return { setup, said, end, printed, stop }
  }
  const set = async (terms: SetupTerms) => {
    const begun = begin(terms)
    await begun.setup.run()
    return begun
  }
  return { cwd, state, home, begin, set, at, token }
}

const heard = (method: string) =>
  ({ id: 1, timestamp: '', by: { kind: 'web', id: 'x' }, notification: { method } }) as unknown as SeenEvent
const install = 'mkdir node_modules && date +%s%N > node_modules/made && chmod 755 node_modules/made'

describe('a setup command', () => {
  it('W42 is run once in a sandbox, told as a phase, and what it prints is told without secrets', async () => {
    const box = await sandbox()
    const first = await box.set({ command: 'printf "got $NPM_TOKEN"; echo; echo oops >&2; touch ran' })
    expect(first.said[0]).toMatchObject({ method: '_posthog/phase_start', params: { phase: 'setup' } })
    expect(first.end()).toMatchObject({ phase: 'setup', ok: true, ms: expect.any(Number) })
    const text = first
      .printed()
      .map((one) => one?.message)
      .join('')
    expect(text).toContain('got [secret NPM_TOKEN]')
    expect(text).toContain('oops')
    expect([first.setup.isOver, first.setup.takeNotice()]).toEqual([true, null])
    expect(
      (await box.set({ command: 'printf "got $NPM_TOKEN"; echo; echo oops >&2; touch ran' })).said,
    ).toEqual([])
  })

  it('W42 that fails is told to people and, once, to the agent, and is not run again', async () => {
    const box = await sandbox()
    const command = 'echo no >> tries; echo "no $NPM_TOKEN" >&2; exit 3'
    const { end, setup, printed } = await box.set({ command })
    expect(end()).toMatchObject({ ok: false, error: 'It ended with code 3.' })
    expect(printed().at(-1)).toMatchObject({ level: 'warn', message: expect.stringContaining('no [secret') })
    const next = await box.set({ command })
    expect(next.said).toEqual([])
    expect(next.setup.takeNotice(), 'by a runner that came before the agent was told').toContain('code 3')
    const notice = setup.takeNotice()
    expect(notice).toContain(command)
    expect(notice).toContain('It ended with code 3.')
    expect(notice).toContain('no [secret NPM_TOKEN]')
    expect(setup.takeNotice()).toBeNull()
    expect((await box.set({ command })).setup.takeNotice()).toBeNull()
    expect(readFileSync(join(box.cwd, 'tries'), 'utf8')).toBe('no\n')
  })

  it('W42 that takes too long, or is cancelled, is ended with all that it has started', async () => {
    const box = await sandbox()
    const slow = await box.set({ command: 'sleep 60 & sleep 60', limitMs: 200 })
    expect(slow.end()).toMatchObject({ ok: false, error: expect.stringContaining('longer than') })
    const other = await sandbox()
    const { setup, end } = other.begin({ command: 'echo $$ > pid; sleep 60' })
    const running = setup.run()
    await expect.poll(() => existsSync(join(other.cwd, 'pid')), { timeout: 60_000 }).toBe(true)
    setup.heard(heard('_posthog/cancel'))
    await running
    expect(end()).toMatchObject({ ok: false, error: 'It was ended before it was done.' })
    expect(setup.takeNotice()).not.toBeNull()
  })

  it('W42 of a runner that is asked to end is begun anew by the next one; one that took two with it is not', async () => {
    const box = await sandbox()
    const command = 'touch began; sleep 60'
    const { setup, stop, said } = box.begin({ command })
    const running = setup.run()
    await expect.poll(() => existsSync(join(box.cwd, 'began')), { timeout: 60_000 }).toBe(true)
    stop.abort()
    await running
    expect(said.map(({ method }) => method)).toEqual(['_posthog/phase_start'])
    const note = JSON.parse(readFileSync(join(box.state, 'setup.json'), 'utf8'))
    expect(note).toMatchObject({ tries: 0, isOver: false })
    writeFileSync(join(box.state, 'setup.json'), JSON.stringify({ ...note, tries: 2 }))
    expect((await box.set({ command })).end()).toMatchObject({
      ok: false,
      error: expect.stringContaining('twice'),
    })
  })
})

describe('what a setup command made', () => {
  it('W42 stands for the command in another run that depends on the same, and not where it depends on something else', async () => {
    const first = await sandbox()
    const { setup } = await first.set({ command: install })
    await setup.stop()
    const made = readFileSync(join(first.cwd, 'node_modules/made'), 'utf8')

    const same = await sandbox()
    expect((await same.set({ command: install })).end()).toMatchObject({ ok: true, cached: true })
    expect(readFileSync(join(same.cwd, 'node_modules/made'), 'utf8')).toBe(made)
    expect(readdirSync(same.cwd).sort()).toEqual(['.gitignore', 'node_modules', 'package-lock.json'])

    const other = await sandbox({ '.gitignore': 'node_modules\n', 'package-lock.json': '2' })
    expect((await other.set({ command: install })).end()).not.toHaveProperty('cached')
  })

  it('W42 of any files stands for the command only where all files are the same', async () => {
    const files = (source: string) => ({ '.gitignore': 'dist\n', 'source.ts': source })
    const build = 'mkdir -p dist && cat source.ts > dist/out && date +%N >> dist/times'
    const first = await (await sandbox(files('one'))).set({ command: build })
    await first.setup.stop()
    expect(first.printed()).toEqual([])
    expect((await (await sandbox(files('one'))).set({ command: build })).end()).toMatchObject({
      cached: true,
    })
    const changed = await sandbox(files('two'))
    expect((await changed.set({ command: build })).end()).not.toHaveProperty('cached')
    expect(readFileSync(join(changed.cwd, 'dist/out'), 'utf8')).toBe('two')
  })

  it.each([
    ['has a secret in it', `${install} && echo $NPM_TOKEN > node_modules/x`, 'a secret is in it'],
    ['is not all: a file that is synced was made too', `${install} && touch lock`, 'files that are synced'],
    ['is not all: something was left in the home', `${install} && touch "$HOME/.tool"`, 'the home folder'],
    [
      'is not all: something was left where tools have their settings',
      `${install} && mkdir -p "$HOME/.config/gh"`,
      'the home folder',
    ],
    [
      'is not all: something still runs',
      `${install} && (sleep 30 >/dev/null 2>&1 &)`,
      'left something running',
    ],
    [
      'names the folder that it was made in, which others do not have',
      `${install} && pwd -P > node_modules/activate`,
      'the folder that it was made in',
    ],
    ['is too much', `${install} && head -c 3000000 /dev/zero > node_modules/x`, 'more than 1 MiB'],
  ])('W42 is not kept if it %s', async (_, command, why) => {
    const first = await sandbox()
    const { printed, setup } = await first.set({ command, mostKeptBytes: 1024 * 1024 })
    expect(printed().at(-1)?.message).toContain(why)
    await setup.stop()
    expect((await (await sandbox()).set({ command })).end()).not.toHaveProperty('cached')
  })

  it('W42 is not kept if it is only what was missing: others would have the rest from nowhere', async () => {
    const command = 'mkdir -p node_modules dist && touch node_modules/a dist/b # twice'
    const first = await sandbox()
    mkdirSync(join(first.cwd, 'node_modules'))
    const { printed, setup } = await first.set({ command })
    await setup.stop()
    expect(printed().at(-1)?.message).toContain('something was there before')
    const next = await sandbox()
    expect((await next.set({ command })).end()).not.toHaveProperty('cached')
    expect(existsSync(join(next.cwd, 'node_modules/a'))).toBe(true)
  })

  it('W42 is not kept where an agent has worked, who could have changed it for others', async () => {
    const first = await sandbox()
    const command = `${install} # as the agent wishes`
    const { setup } = first.begin({ command })
    setup.heard(heard('_posthog/ack'))
    await setup.run()
    await setup.stop()
    expect((await (await sandbox()).set({ command })).end()).not.toHaveProperty('cached')
  })

  it('W42 goes nowhere but where it was: a link on the way there is not followed', async () => {
    const deep = `mkdir -p sub && mkdir sub/node_modules && touch sub/node_modules/a`
    const make = async () => {
      const box = await sandbox()
      mkdirSync(join(box.cwd, 'sub'))
      return box
    }
    await (await (await make()).set({ command: deep })).setup.stop()
    expect((await (await make()).set({ command: deep })).end()).toMatchObject({ cached: true })
    const linked = await sandbox()
    const elsewhere = folder()
    symlinkSync(elsewhere, join(linked.cwd, 'sub'))
    expect((await linked.set({ command: deep })).end()).not.toHaveProperty('cached')
  })
})
