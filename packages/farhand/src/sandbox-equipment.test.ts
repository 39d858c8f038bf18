import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sandboxEquipment } from './sandbox-equipment.ts'
import { worldOf } from './world-under-test.ts'

const env = {
  PATH: '/usr/bin:/bin',
  HOME: '/home/ada',
  XDG_CONFIG_HOME: '/home/ada/.config',
  OPENAI_API_KEY: 'of the hub',
  AWS_SECRET: 'x',
}
const places = { workspace: '/workspace', state: '/state', home: '/home/agent', door: '/run/farhand' }
const equipment = (more = {}) =>
  sandboxEquipment(worldOf({ env: { ...env, ...more }, self: [process.execPath, '/opt/farhand/bin.cjs'] }))

function agentOf(id: string, secrets: Record<string, string> = {}) {
  const agent = equipment().agent(id, secrets)
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
    expect(equipment().agent('nonsense', {})).toEqual({
      impossible: expect.stringMatching(/no agent called "nonsense"/),
    })
    expect(equipment().agent('claude', {})).toEqual({ impossible: expect.stringMatching(/not installed/) })
    expect(equipment({ OPENAI_API_KEY: undefined }).agent('builtin', {})).toEqual({
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
    const agent = equipment({ PATH, FARHAND_STATE: state, TOOLS_TOKEN: 'of tools' }).agent('mine', {})
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

  it('knows that a key in the project is as good as one where the hub is started', () => {
    expect(equipment({ OPENAI_API_KEY: undefined }).agent('builtin', { OPENAI_API_KEY: 'x' })).toHaveProperty(
      'inside',
    )
  })
})
