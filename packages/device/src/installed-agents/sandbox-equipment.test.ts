import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HubMachine, sandboxEquipment } from './sandbox-equipment.ts'

const env = {
  PATH: '/usr/bin:/bin',
  HOME: '/home/ada',
  XDG_CONFIG_HOME: '/home/ada/.config',
  OPENAI_API_KEY: 'of the hub',
  AWS_SECRET: 'x',
}
const places = { workspace: '/workspace', state: '/state', home: '/home/agent', socketFolder: '/run/farhand' }
/** A machine of a hub, with this and nothing else. */
const machine = (given: Pick<HubMachine, 'env'> & Partial<HubMachine>): HubMachine => ({
  cwd: '/',
  home: '/nowhere',
  platform: 'linux',
  self: [process.execPath, '/opt/farhand/bin.cjs'],
  secretSet: 'npx farhand secret set',
  ...given,
})
const equipment = (more = {}) => sandboxEquipment(machine({ env: { ...env, ...more } }))

const shared = { getsKeys: true }

function agentOf(id: string, secrets: Record<string, string> = {}) {
  const agent = equipment().agent(id, secrets, shared)
  if ('impossible' in agent) throw new Error(agent.impossible)
  return agent
}

describe('what a hub has for its sandboxes', () => {
  it('is a runner that is told everything on its standard input', () => {
    const { program } = equipment().runner
    expect(program.slice(-2)).toEqual(['runner', '--letter'])
    expect(JSON.stringify(program)).not.toContain('of the hub')
  })

  it('gives an agent the variables it is known to want and its secrets, and nothing else of the hub', () => {
    const { env: given } = agentOf('builtin', { MY_SECRET: 'mine' }).inside(places)
    expect(given).toMatchObject({
      OPENAI_API_KEY: 'of the hub',
      MY_SECRET: 'mine',
      FARHAND_AGENT_HOME: '/state/agent',
    })
    expect(JSON.stringify(given)).not.toMatch(/ada|AWS/)
    expect(given.HOME).toBe('/home/agent')
  })

  it('lets a secret of the project take the place of what the hub has, and names what must not be seen', () => {
    const agent = agentOf('builtin', { OPENAI_API_KEY: 'of the project' })
    expect(agent.inside(places).env.OPENAI_API_KEY).toBe('of the project')
    expect(agent.secrets).toContain('OPENAI_API_KEY')
    expect(agent.secrets).not.toContain('OPENAI_BASE_URL')
  })

  it('says in words why an agent cannot be started', () => {
    expect(equipment().agent('nonsense', {}, shared)).toEqual({
      impossible: expect.stringMatching(/no agent called "nonsense"/),
    })
    expect(equipment().agent('claude', {}, shared)).toEqual({
      impossible: expect.stringMatching(/not installed/),
    })
    expect(equipment({ OPENAI_API_KEY: undefined }).agent('builtin', {}, shared)).toEqual({
      impossible: expect.stringMatching(/one of .* must be set/),
    })
  })

  it('shows an agent of the user, and the servers of tools it is given, by the places where they really lie', () => {
    const state = mkdtempSync(join(tmpdir(), 'farhand-equipment-'))
    onTestFinished(() => rmSync(state, { recursive: true }))
    const real = realpathSync(state)
    for (const name of ['agent', 'server']) {
      mkdirSync(join(state, 'lib', 'node_modules', name), { recursive: true })
      writeFileSync(join(state, 'lib', 'node_modules', name, 'main.js'), '', { mode: 0o755 })
      mkdirSync(join(state, 'bin'), { recursive: true })
      symlinkSync(`../lib/node_modules/${name}/main.js`, join(state, 'bin', name))
    }
    const mcpServers = [{ name: 'tools', command: 'server', env: { TOKEN: '{TOOLS_TOKEN}' } }]
    writeFileSync(
      join(state, 'agents.json'),
      JSON.stringify([{ id: 'mine', name: 'Mine', command: 'agent', mcpServers }]),
    )
    const PATH = `${join(state, 'bin')}:/usr/bin`
    const agent = equipment({ PATH, FARHAND_STATE: state, TOOLS_TOKEN: 'of tools' }).agent('mine', {}, shared)
    if ('impossible' in agent) throw new Error(agent.impossible)
    expect(agent.readable).toEqual([join(real, 'lib', 'node_modules')])
    expect(agent.inside(places)).toMatchObject({
      command: join(real, 'lib/node_modules/agent/main.js'),
      mcpServers: [
        {
          command: join(real, 'lib/node_modules/server/main.js'),
          env: [{ name: 'TOKEN', value: 'of tools' }],
        },
      ],
    })
  })

  describe('of an agent of the user’s own', () => {
    function owned(entry: object) {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'farhand-equipment-')))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const [home, state] = [join(folder, 'home'), join(folder, 'home', 'state')]
      for (const name of ['.config/mine', 'venv/bin', 'state', '.ssh'])
        mkdirSync(join(home, name), { recursive: true })
      symlinkSync('/usr/bin/env', join(home, 'venv/bin/python'))
      writeFileSync(
        join(state, 'agents.json'),
        JSON.stringify([{ id: 'mine', name: 'Mine', command: '/usr/bin/env', ...entry }]),
      )
      const context = machine({
        env: { PATH: '/usr/bin:/bin', HOME: home, FARHAND_STATE: state },
        home,
        cwd: home,
        self: [process.execPath, '/opt/farhand/bin.cjs'],
      })
      return { home, state, agent: sandboxEquipment(context).agent('mine', {}, shared) }
    }

    it('are further places that its entry names; those of the home are in its home, too', () => {
      const { home, agent } = owned({ readable: ['~/.config/mine', '/usr/share'] })
      if ('impossible' in agent) throw new Error(agent.impossible)
      const settings = join(home, '.config/mine')
      expect(agent.readable).toEqual(expect.arrayContaining([settings, '/usr/share']))
      expect(agent.inside(places)).toMatchObject({
        readable: expect.arrayContaining([settings]),
        places: { links: { '/state/agent/.config/mine': settings } },
      })
    })

    it('is a program called by the name that it has among them: Python finds its packages by that', () => {
      const { home, agent } = owned({ readable: ['~/venv'], command: 'venv/bin/python' })
      if ('impossible' in agent) throw new Error(agent.impossible)
      expect(agent.inside(places).command).toBe(join(home, 'venv/bin/python'))
    })

    it.each([['~/.'], ['/.'], ['~/state'], ['~/state/agents.json'], ['~/nowhere']])(
      'are never all of a home, the state folder or what is not there: %s',
      (place) => {
        const { agent } = owned({ readable: [place] })
        expect(agent).toEqual({ impossible: expect.stringMatching(/Mine cannot be given .* to read/) })
      },
    )

    it('are other programs that it starts by name, on its PATH', () => {
      const { agent } = owned({ programs: ['env'] })
      if ('impossible' in agent) throw new Error(agent.impossible)
      const { env: given, places: put } = agent.inside(places)
      expect(given.PATH).toMatch(/^\/state\/agent\/bin:/)
      expect(put?.links).toEqual({ '/state/agent/bin/env': realpathSync('/usr/bin/env') })
      expect(owned({ programs: ['no-such-program'] }).agent).toEqual({
        impossible: expect.stringMatching(/also needs the program "no-such-program"/),
      })
    })

    it('are the files and folders of its entry, below its own folder', () => {
      const { agent } = owned({ folders: ['.mine'], files: { 'a/settings.json': '{}' } })
      if ('impossible' in agent) throw new Error(agent.impossible)
      expect(agent.inside(places).places).toEqual({
        folders: ['/state/agent/.mine'],
        files: { '/state/agent/a/settings.json': '{}' },
        links: {},
      })
    })

    it('is all that its entry says of how it is to be treated', () => {
      const said = { denyMode: 'plan', hidesContext: true }
      const { agent } = owned({ unasked: { sandbox: 'edits files' }, ...said })
      if ('impossible' in agent) throw new Error(agent.impossible)
      expect(agent.inside(places)).toMatchObject({ unasked: 'edits files', ...said })
    })
  })

  it('knows that a key in the project is as good as one where the hub is started', () => {
    expect(
      equipment({ OPENAI_API_KEY: undefined }).agent('builtin', { OPENAI_API_KEY: 'x' }, shared),
    ).toHaveProperty('inside')
  })

  it('W50 gives a run of another user than the owner no key of the hub, and a secret of the run chooses no file here', () => {
    const theirs = { getsKeys: false }
    const hub = equipment({
      OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1',
      ANTHROPIC_BASE_URL: 'https://a:b@x',
    })
    expect(hub.agent('builtin', {}, theirs)).toEqual({
      impossible: expect.stringMatching(/secret of the project/),
    })
    expect(hub.agents(theirs).find(({ id }) => id === 'builtin')).toMatchObject({ state: 'unset' })
    const secrets = { OPENAI_API_KEY: 'mine', PATH: '/etc', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:5432' }
    const agent = hub.agent('builtin', secrets, theirs)
    if ('impossible' in agent) throw new Error(agent.impossible)
    expect(JSON.stringify(agent.inside(places))).not.toMatch(/of the hub|a:b/)
    expect(agent.operatorHosts).toEqual(['127.0.0.1:11434'])
    expect(agent.readable).toEqual(agentOf('builtin').readable)
  })
})
