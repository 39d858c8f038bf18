import type { Command } from 'commander'

/** Examples for commands whose help has nothing else to say, by command name. */
const examples: Record<string, readonly (readonly [string, string])[]> = {
  hub: [
    ['hub', 'on this machine, with its data in ./.farhand'],
    ['hub --port 8080 --data ~/hub', 'elsewhere'],
  ],
  ls: [
    ['ls', ''],
    ['ls --all --json', 'all of them, for programs'],
  ],
  status: [
    ['status', 'hubs, folders and open runs of this machine'],
    ['status run_4fJ2', 'the beginning of its id is enough'],
  ],
  send: [['send run_4fJ2 "and add tests" --follow', 'shows what comes of it']],
  cancel: [
    ['cancel', 'the run of the folder you are in; in no such folder, the only open one'],
    ['cancel run_4fJ2', 'what it has done so far stays'],
  ],
  close: [
    ['close', 'the run of the folder you are in; in no such folder, the only open one'],
    ['close run_4fJ2', 'what it does is saved first'],
  ],
  agents: [['agents --json', 'for programs']],
  user: [['user add ada', 'a colleague gets a token of their own']],
  'schedule list': [['schedule list', 'the newest first']],
  'schedule show': [['schedule show sch_4fJ2', 'the beginning of its id is enough']],
  'schedule pause': [['schedule pause nightly', '']],
  'schedule resume': [['schedule resume nightly', 'what was due meanwhile stays left out']],
  'schedule run': [['schedule run nightly', '']],
  'schedule remove': [['schedule remove nightly', '']],
  'schedule history': [['schedule history nightly --all', '']],
  'secret ls': [['secret ls --project website', 'names and dates, never values']],
  'secret rm': [['secret rm NPM_TOKEN', '']],
  'project invitations': [['project invitations Garden --revoke inv_4fJ2', 'its id is in the list']],
  'bring add': [['bring add ~/.claude/CLAUDE.md review', 'a file, and a skill by its name']],
  'bring remove': [['bring remove review', '']],
  'bring send': [['bring send run_4fJ2', 'also to one that has begun']],
  'bring show': [['bring show review', '']],
  'user list': [['user list', '']],
  'user add': [['user add ada', 'prints the token, once']],
  'user token': [
    ['user token ada', 'for one more machine of hers'],
    ['user token ada --days 30', 'one that expires'],
  ],
  'user tokens': [['user tokens ada', 'their text is not among it: the hub does not have it']],
  'user password': [
    ['user password ada', 'typed twice, and not shown'],
    ['user password ada < password.txt', 'or from a file'],
  ],
  'devices list': [['devices list --json', 'for programs']],
  'devices revoke': [['devices revoke old-laptop', 'by its name, or by its id if several have that name']],
  'user revoke': [
    ['user revoke ada', 'the next request of hers is refused'],
    ['user revoke ada --token tok_4fJ2', 'one token alone'],
  ],
  'agent rehearsal': [['agent rehearsal', 'speaks ACP; `run --agent rehearsal` is for people']],
  'agent builtin': [['agent builtin', 'speaks ACP; `run --agent builtin` is for people']],
}

export function addExamples(command: Command, call: string, words: readonly string[] = []): void {
  for (const one of command.commands) {
    const path = [...words, one.name()]
    const own = examples[path.join(' ')]
    if (own) one.addHelpText('after', inWords(own, call))
    addExamples(one, call, path)
  }
}

function inWords(own: readonly (readonly [string, string])[], call: string): string {
  const longest = Math.max(...own.map(([words]) => words.length))
  const lines = own.map(([words, what]) => `  ${call} ${words.padEnd(longest)}  ${what}`.trimEnd())
  return `\nFor example:\n${lines.join('\n')}`
}
