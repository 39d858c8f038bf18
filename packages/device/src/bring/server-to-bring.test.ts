import { McpServerEntry } from '@farhand/runner/catalogue/mcp-servers'
import { describe, expect, it } from 'vitest'
import { serverToBring } from './server-to-bring.ts'

const program = { name: 'tools', command: 'npx', args: ['-y', 'tools'], env: {} }
const web = { name: 'git hub', type: 'http' as const, url: 'https://a.example/mcp', headers: {} }
const inShell = (name: string) => ['$', '{', name, '}'].join('')

describe('a server of tools', () => {
  it('takes none of its values along, only the names of secrets that hold them there', () => {
    const env = {
      GITHUB_TOKEN: 'ghp_abc',
      LEVEL: 'debug',
      OTHER: inShell('MY_TOKEN'),
      HALF: `a-${inShell('MY_TOKEN')}`,
    }
    const to = serverToBring({ ...program, env })
    expect(to).toEqual({
      entry: {
        type: 'stdio',
        ...program,
        env: { GITHUB_TOKEN: '{GITHUB_TOKEN}', LEVEL: '{LEVEL}', OTHER: '{MY_TOKEN}', HALF: '{HALF}' },
      },
      secrets: ['GITHUB_TOKEN', 'LEVEL', 'MY_TOKEN', 'HALF'],
    })
    expect(McpServerEntry.safeParse('entry' in to && to.entry).success).toBe(true)
  })

  it('over the network has its headers from secrets, too', () => {
    const headers = { Authorization: 'Bearer ghp_abc', 'X-Team': 'a', Other: 'Bearer $MY_TOKEN' }
    expect(serverToBring({ ...web, headers })).toEqual({
      entry: {
        ...web,
        headers: {
          Authorization: 'Bearer {GIT_HUB_AUTHORIZATION}',
          'X-Team': '{GIT_HUB_X_TEAM}',
          Other: 'Bearer {MY_TOKEN}',
        },
      },
      secrets: ['GIT_HUB_AUTHORIZATION', 'GIT_HUB_X_TEAM', 'MY_TOKEN'],
    })
  })

  it.each([
    ['https://a.example/mcp?readonly=true#x', 'https://a.example/mcp?readonly=true#x'],
    ['https://a.example/s/Ab3dE6gH9jK2mN5pQ8/mcp', 'https://a.example/s/{GIT_HUB_URL_KEY}/mcp'],
    ['https://a.example/mcp?api_key=x&b=1', 'https://a.example/mcp?api_key={GIT_HUB_URL_KEY}&b=1'],
    [
      'https://a.example/0b2c1d3e-1111-4222-8333-444455556666/?token=x',
      'https://a.example/{GIT_HUB_URL_KEY}/?token={GIT_HUB_URL_KEY_2}',
    ],
    [`https://a.example/?token=${inShell('MY_TOKEN')}`, 'https://a.example/?token={MY_TOKEN}'],
    [
      'https://api.githubcopilot.com/mcp/x/context_tools',
      'https://api.githubcopilot.com/mcp/x/context_tools',
    ],
  ])('has the key in its address from a secret, too: %s', (url, brought) => {
    const to = serverToBring({ ...web, url })
    expect('entry' in to && to.entry).toMatchObject({ url: brought })
    expect('entry' in to && to.secrets).toEqual([...brought.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(McpServerEntry.safeParse('entry' in to && to.entry).success).toBe(true)
  })

  it('may have the name of a secret among its arguments', () => {
    const to = serverToBring({ ...program, args: ['--token', inShell('MY_TOKEN'), '--key={A_KEY}'] })
    expect(to).toMatchObject({
      entry: { args: ['--token', '{MY_TOKEN}', '--key={A_KEY}'] },
      secrets: ['MY_TOKEN', 'A_KEY'],
    })
  })

  it.each([
    ['is a program of this machine', { ...program, command: '/opt/tools/bin/serve' }, /of this machine/],
    [
      'has a place of this machine',
      { ...program, args: ['server.js', '--root=~/notes'] },
      /~\/notes is a path/,
    ],
    ['has a secret as an argument', { ...program, args: ['--api-key', 'abc'] }, /looks like a secret/],
    [
      'has one that looks like it',
      { ...program, args: [`ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`] },
      /looks like a secret/,
    ],
    ['sets its own home', { ...program, env: { HOME: '/x' } }, /it sets HOME/],
    ['has a password in its address', { ...web, url: 'https://a:b@a.example' }, /use a header/],
    [
      'has a header as an argument',
      { ...program, args: ['--header', 'X: Bearer abc'] },
      /looks like a secret/,
    ],
    [
      'has something opaque in it',
      { ...program, args: ['https://a.example/s/Ab3dE6gH9jK2mN5pQ8/mcp'] },
      /looks like a secret/,
    ],
    ['is on this machine', { ...web, url: 'http://localhost:3000/mcp' }, /on this machine/],
    ['has no address', { ...web, url: 'a.example' }, /address is not a URL/],
    ['is called strangely', { ...web, name: 'a\nb' }, /its name/],
  ])('stays here if it %s', (_, found, why) => {
    expect(serverToBring(found)).toEqual({ why: expect.stringMatching(why) })
  })
})
