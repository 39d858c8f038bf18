import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fileComplaints } from './house/file-rules.ts'
import { importComplaints } from './house/import-rules.ts'
import { sourcesUnder } from './house/source.ts'
import type { House } from './house/table.ts'

/**
 * The house. If you are new: this table is the map, and the tests below keep it true.
 *
 * A row uses only rows above it, and of these only the ones it names. `libraries` is whole on purpose: a new dependency is a decision,
 * and this is where it is made.
 */
const house: House = {
  packages: {
    kit: {
      holds: 'small tools that would be at home in any program',
      runsIn: 'anywhere',
      uses: [],
      libraries: [],
    },
    protocol: {
      holds: 'the words of the wire: schemas, ids, routes, faults, and folds over events',
      runsIn: 'anywhere',
      uses: [],
      libraries: ['zod'],
    },
    client: {
      holds: 'everything it takes to talk to a hub: follow, post, blobs',
      runsIn: 'anywhere',
      uses: ['kit', 'protocol'],
      libraries: ['eventsource-parser'],
    },
    sync: {
      holds: 'the engine that keeps a folder and a log in step',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client'],
      libraries: ['ignore', 'koffi'],
    },
    hub: {
      holds: 'the server everybody talks to',
      runsIn: 'Node',
      uses: ['kit', 'protocol'],
      libraries: ['zod', 'kysely', 'libsql', 'pino', 'prom-client', 'find-my-way'],
    },
    runner: {
      holds: 'our side of a sandbox: it drives the agent and keeps its files and checkpoints',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync'],
      libraries: ['zod', '@agentclientprotocol/sdk'],
    },
    agents: {
      holds: 'agents of our own: one that needs a key for a model, one that needs nothing and says so',
      runsIn: 'Node',
      uses: ['kit'],
      libraries: [
        '@agentclientprotocol/sdk',
        'zod',
        'ignore',
        'ai',
        '@ai-sdk/anthropic',
        '@ai-sdk/google',
        '@ai-sdk/openai',
        '@ai-sdk/openai-compatible',
        'undici',
      ],
    },
    device: {
      holds: "what runs on a user's computer: the daemon, its folders, its account",
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'runner'],
      libraries: ['zod', '@napi-rs/keyring'],
    },
    web: {
      holds: 'the app for phone and browser',
      runsIn: 'browser',
      uses: ['kit', 'protocol', 'client'],
      libraries: [],
    },
    farhand: {
      holds: 'the one command: reads the environment and puts the others together',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'hub', 'runner', 'agents', 'device', 'web'],
      libraries: ['zod', 'commander'],
    },
    testkit: {
      holds: 'fakes, bad networks, programs to kill: what tests of several packages share',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'hub', 'runner', 'device'],
      libraries: ['zod'],
    },
    e2e: {
      holds: 'journeys and drills through the whole',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'hub', 'runner', 'device', 'testkit'],
      libraries: ['zod', 'esbuild'],
    },
  },

  inTests: { packages: ['testkit'], libraries: ['vitest', 'fast-check'] },

  // The rooms of the hub, from the door down to the stores, which use nothing. Files beside the rooms (hub.ts and
  // its like) put them together and see them all; no room looks back at them.
  rooms: {
    http: [
      'runs',
      'collab',
      'channels',
      'schedules',
      'lifecycle',
      'notify',
      'access',
      'log',
      'blobs',
      'store',
    ],
    runs: ['access', 'log', 'blobs', 'store'],
    collab: ['access', 'log', 'blobs', 'store'],
    channels: ['access', 'log', 'blobs', 'store'],
    schedules: ['access', 'log', 'blobs', 'store'],
    lifecycle: ['runs', 'access', 'log', 'blobs', 'store', 'sandboxes'],
    notify: ['access', 'log', 'blobs', 'store'],
    access: ['store'],
    log: [],
    blobs: [],
    store: [],
    sandboxes: [],
  },
  seenByRooms: ['packages/hub/src/config.ts'],

  // These decide and do nothing else. What they need to know of the world comes in as a value.
  pure: [
    'packages/kit/src/backoff.ts',
    'packages/kit/src/slept.ts',
    'packages/protocol/src/',
    'packages/client/src/follow-step.ts',
    'packages/hub/src/access/is-for-remote.ts',
    'packages/hub/src/access/may.ts',
    'packages/hub/src/blobs/unreferenced.ts',
    'packages/hub/src/lifecycle/decide.ts',
    'packages/farhand/src/handoff/decide-handoff.ts',
    'packages/hub/src/log/admit.ts',
    'packages/hub/src/log/log-state.ts',
    'packages/hub/src/log/producers.ts',
    'packages/hub/src/log/stored-line.ts',
    'packages/hub/src/runs/first-events.ts',
    'packages/hub/src/runs/inbox.ts',
    'packages/hub/src/sandboxes/gate/destination.ts',
    'packages/hub/src/sandboxes/gate/git-request.ts',
    'packages/hub/src/sandboxes/gate/is-private-address.ts',
    'packages/hub/src/sandboxes/gate/may-connect.ts',
    'packages/hub/src/sandboxes/gate/passed-headers.ts',
    'packages/hub/src/sandboxes/cgroup-parents.ts',
    'packages/hub/src/sandboxes/seccomp-filter.ts',
    'packages/hub/src/sandboxes/which-host.ts',
    'packages/runner/src/events/entries-stored.ts',
    'packages/runner/src/events/join-chunks.ts',
    'packages/runner/src/events/redacted-events.ts',
    'packages/runner/src/events/redaction.ts',
    'packages/runner/src/events/wire-words.ts',
    'packages/runner/src/events/secret-forms.ts',
    'packages/runner/src/events/well-formed.ts',
    'packages/runner/src/agent/keys-of.ts',
    'packages/runner/src/checkpoints/bundle-header.ts',
    'packages/runner/src/checkpoints/config-to-keep.ts',
    'packages/runner/src/checkpoints/line-of-bundles.ts',
    'packages/runner/src/checkpoints/reflog-news.ts',
    'packages/runner/src/checkpoints/restore-plan.ts',
    'packages/runner/src/checkpoints/when-to-checkpoint.ts',
    'packages/runner/src/agent/mcp-servers.ts',
    'packages/runner/src/agent/mode-of.ts',
    'packages/runner/src/agent/model-hosts.ts',
    'packages/runner/src/agent/sign-in.ts',
    'packages/runner/src/briefing/',
    'packages/runner/src/bring/brought-servers.ts',
    'packages/runner/src/bring/setup-table.ts',
    'packages/runner/src/bring/what-to-put.ts',
    'packages/runner/src/bring/where-it-goes.ts',
    'packages/runner/src/inside/git-environment.ts',
    'packages/runner/src/inside/proxy-environment.ts',
    'packages/runner/src/limits/budget.ts',
    'packages/runner/src/limits/cost-notice.ts',
    'packages/runner/src/limits/exceeded.ts',
    'packages/runner/src/limits/rate-limit-wait.ts',
    'packages/runner/src/limits/wants-to-go-on.ts',
    'packages/runner/src/memory/session-here.ts',
    'packages/runner/src/memory/what-travels.ts',
    'packages/runner/src/questions/choices-of.ts',
    'packages/runner/src/questions/chosen.ts',
    'packages/runner/src/questions/form-content.ts',
    'packages/runner/src/questions/form-fields.ts',
    'packages/runner/src/questions/is-inside.ts',
    'packages/runner/src/questions/outcome-of.ts',
    'packages/runner/src/questions/plain-text.ts',
    'packages/runner/src/questions/policy.ts',
    'packages/runner/src/questions/question-of.ts',
    'packages/runner/src/questions/read-ask.ts',
    'packages/runner/src/questions/told-tools.ts',
    'packages/runner/src/server-mode/fed-line.ts',
    'packages/runner/src/turns/beginning.ts',
    'packages/runner/src/turns/orders.ts',
    'packages/runner/src/turns/decide.ts',
    'packages/runner/src/turns/rest-answer.ts',
    'packages/runner/src/turns/tool-end.ts',
    'packages/device/src/secret-scan/',
    'packages/agents/src/rehearsal/phrases.ts',
    'packages/agents/src/rehearsal/sentences.ts',
    'packages/agents/src/rehearsal/step.ts',
    'packages/agents/src/builtin/failure-of.ts',
    'packages/agents/src/builtin/mended.ts',
    'packages/agents/src/builtin/model-choice.ts',
    'packages/agents/src/builtin/model-trouble.ts',
    'packages/agents/src/builtin/model-window.ts',
    'packages/agents/src/builtin/modes.ts',
    'packages/agents/src/builtin/repeats.ts',
    'packages/agents/src/builtin/shortening.ts',
    'packages/agents/src/builtin/system-prompt.ts',
    'packages/agents/src/builtin/tools/edited.ts',
    'packages/agents/src/builtin/tools/kept-output.ts',
    'packages/device/src/base/cut-history.ts',
    'packages/device/src/base/refs-to-send.ts',
    'packages/device/src/base/without-credentials.ts',
    'packages/device/src/bring/allow-list.ts',
    'packages/device/src/bring/server-settings.ts',
    'packages/device/src/commits/commits-of-log.ts',
    'packages/device/src/commits/plan-tree.ts',
    'packages/device/src/commits/run-refs.ts',
    'packages/device/src/daemon/decide-keeping.ts',
    'packages/sync/src/step-to-undo.ts',
    'packages/sync/src/nearest-names.ts',
    'packages/sync/src/file-versions.ts',
    'packages/testkit/src/scripted-llm/answer-of.ts',
    'packages/testkit/src/scripted-llm/conversation.ts',
    'packages/testkit/src/scripted-llm/instance-of.ts',
    'packages/testkit/src/scripted-llm/steps-of.ts',
    'packages/testkit/src/scripted-llm/tool-calls.ts',
    'packages/device/src/base/bundle-parts.ts',
    'packages/device/src/base/packed-objects.ts',
    'packages/farhand/src/agent-choice/which-agent.ts',
    'packages/farhand/src/agent-environment.ts',
    'packages/farhand/src/attach/since-last-look.ts',
    'packages/farhand/src/attach/which-run.ts',
    'packages/farhand/src/author-in-words.ts',
    'packages/farhand/src/bring/thing-named.ts',
    'packages/farhand/src/diff/file-diff.ts',
    'packages/farhand/src/completion/completions.ts',
    'packages/farhand/src/completion/shell-scripts.ts',
    'packages/farhand/src/doctor/judge.ts',
    'packages/farhand/src/event-in-words.ts',
    'packages/farhand/src/finish/added-text.ts',
    'packages/farhand/src/finish/plan-push.ts',
    'packages/farhand/src/finish/pr-page.ts',
    'packages/farhand/src/finish/pr-words.ts',
    'packages/farhand/src/finish/push-refused.ts',
    'packages/farhand/src/finish/which-remote.ts',
    'packages/farhand/src/exit-codes.ts',
    'packages/farhand/src/file-size.ts',
    'packages/farhand/src/first-look/what-to-do.ts',
    'packages/farhand/src/first-look/worth-reading.ts',
    'packages/farhand/src/form-example.ts',
    'packages/farhand/src/pull/pull-plan.ts',
    'packages/farhand/src/greeting.ts',
    'packages/farhand/src/help/first-page.ts',
    'packages/farhand/src/hub-at-hand/start-step.ts',
    'packages/farhand/src/hub-at-hand/which-hub.ts',
    'packages/farhand/src/path-in-words.ts',
    'packages/farhand/src/phase-in-words.ts',
    'packages/farhand/src/question-ends.ts',
    'packages/farhand/src/question-in-words.ts',
    'packages/farhand/src/run-terms.ts',
    'packages/farhand/src/sandbox-flags.ts',
    'packages/farhand/src/shown-text.ts',
    'packages/farhand/src/start-times.ts',
    'packages/farhand/src/talk-commands.ts',
    'packages/farhand/src/run-in-words.ts',
    'packages/farhand/src/sign-in-words.ts',
    'packages/farhand/src/settings.ts',
    'packages/farhand/src/terminal/diff-in-lines.ts',
    'packages/farhand/src/terminal/draft-in-lines.ts',
    'packages/farhand/src/terminal/inline-markdown.ts',
    'packages/farhand/src/terminal/key-reader.ts',
    'packages/farhand/src/terminal/leave-menu.ts',
    'packages/farhand/src/terminal/line-editor.ts',
    'packages/farhand/src/terminal/live-frame.ts',
    'packages/farhand/src/terminal/live-keys.ts',
    'packages/farhand/src/terminal/live-region.ts',
    'packages/farhand/src/terminal/palette.ts',
    'packages/farhand/src/terminal/question-panel.ts',
    'packages/farhand/src/terminal/streaming-markdown.ts',
    'packages/farhand/src/terminal/styled-line.ts',
    'packages/farhand/src/terminal/text-width.ts',
    'packages/farhand/src/terminal/typed-history.ts',
    'packages/farhand/src/terminal/wrap-cells.ts',
    'packages/farhand/src/trouble.ts',
    'packages/farhand/src/typed-meaning.ts',
    'packages/farhand/src/what-is-wrong.ts',
  ],

  mostLines: 400,
  wordsNotUsed: ['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'service', 'types', 'misc'],
}

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = sourcesUnder(root)

describe('the house', () => {
  it('imports only what the table allows', () => {
    expect(sources.flatMap((source) => importComplaints(source, house))).toEqual([])
  })

  it('keeps files small, well named, and away from the environment', () => {
    expect(sources.flatMap((source) => fileComplaints(source, house))).toEqual([])
  })

  it('has a row in the table for every package, and lists as pure only what exists', () => {
    const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { workspaces: string[] }
    const missing = manifest.workspaces.filter(
      (folder) => !(folder.replace('packages/', '') in house.packages),
    )
    expect(missing).toEqual([])
    expect(house.pure.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
  })

  it('draws the table so that imports cannot run in a circle', () => {
    const order = Object.keys(house.packages)
    for (const [name, { uses }] of Object.entries(house.packages)) {
      for (const used of uses) {
        expect(order.indexOf(used), `${name} uses ${used}, which stands below it`).toBeLessThan(
          order.indexOf(name),
        )
      }
    }
  })
})
