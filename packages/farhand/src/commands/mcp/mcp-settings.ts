/** How an agent is told of an MCP server: by a command of its own if it has one, and by what its settings file holds. */
export type McpSetting = {
  agent: string
  /** A command line of the agent that adds the server; null if it has none that needs no questions. */
  command: string | null
  /** The settings file, from the home. */
  file: string
  text: string
}

const name = 'farhand'
// A call may wait for up to ten minutes, if the agent asks for that.
const callSeconds = 660

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
const quoted = (word: string) =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** What to add for each agent whose format is known; `words` are the words that start the server. */
export function mcpSettings(words: readonly [string, ...string[]]): McpSetting[] {
  const [command, ...args] = words
  const line = words.map(quoted).join(' ')
  const servers = (more: object) => json({ mcpServers: { [name]: { ...more, command, args } } })
  const timed = { timeout: callSeconds * 1_000 }
  return [
    {
      agent: 'claude',
      command: `claude mcp add --scope user ${name} -- ${line}`,
      file: '.claude.json',
      text: servers({ type: 'stdio' }),
    },
    {
      agent: 'codex',
      command: `codex mcp add ${name} -- ${line}`,
      file: '.codex/config.toml',
      text: `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\ntool_timeout_sec = ${callSeconds}\n`,
    },
    {
      agent: 'gemini',
      command: `gemini mcp add --scope user ${name} ${line}`,
      file: '.gemini/settings.json',
      text: servers(timed),
    },
    {
      agent: 'copilot',
      command: null,
      file: '.copilot/mcp-config.json',
      text: servers({ type: 'local', tools: ['*'] }),
    },
    {
      agent: 'opencode',
      command: null,
      file: '.config/opencode/opencode.json',
      text: json({ mcp: { [name]: { type: 'local', command: words, enabled: true } } }),
    },
    {
      agent: 'qwen',
      command: `qwen mcp add --scope user ${name} ${line}`,
      file: '.qwen/settings.json',
      text: servers(timed),
    },
    {
      agent: 'goose',
      command: null,
      file: '.config/goose/config.yaml',
      text: [
        'extensions:',
        `  ${name}:`,
        `    name: ${name}`,
        '    type: stdio',
        '    enabled: true',
        `    cmd: ${JSON.stringify(command)}`,
        `    args: ${JSON.stringify(args)}`,
        `    timeout: ${callSeconds}`,
        '',
      ].join('\n'),
    },
  ]
}

/** For any other agent: the form that most of them have. */
export const anyMcpSetting = ([command, ...args]: readonly [string, ...string[]]) =>
  json({ mcpServers: { [name]: { command, args } } })
