import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { drawingOf } from './house/drawing.ts'
import { fileComplaints } from './house/file-rules.ts'
import { importComplaints } from './house/import-rules.ts'
import { measuresOf } from './house/measures.ts'
import { pure } from './house/pure.ts'
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
      holds: 'small tools that know nothing of the product',
      runsIn: 'anywhere',
      uses: [],
      libraries: [],
    },
    protocol: {
      holds: 'the protocol of the wire: schemas, ids, routes, faults, and folds over events',
      runsIn: 'anywhere',
      uses: [],
      libraries: ['zod'],
    },
    story: {
      holds: 'what people read of a run: the fold of its log into items, and the wording of each',
      runsIn: 'anywhere',
      uses: ['kit', 'protocol'],
      libraries: [],
    },
    client: {
      holds: 'everything it takes to talk to a hub: follow, post, blobs',
      runsIn: 'anywhere',
      uses: ['kit', 'protocol'],
      libraries: ['eventsource-parser', '@noble/hashes'],
    },
    sync: {
      holds: 'the engine that keeps a folder and a log in step',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client'],
      libraries: ['koffi'],
    },
    hub: {
      holds: 'the server that clients, devices and runners connect to',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'story'],
      libraries: [
        'zod',
        'kysely',
        'libsql',
        'pino',
        'prom-client',
        'find-my-way',
        'web-push',
        'croner',
        'hash-wasm',
        'ws',
      ],
    },
    runner: {
      holds: 'our side of a sandbox: it drives the agent and keeps its files and checkpoints',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'story', 'client', 'sync'],
      libraries: ['zod', '@agentclientprotocol/sdk'],
    },
    agents: {
      holds: "Farhand's own agents: builtin, which needs the key of a model, and rehearsal, which needs none",
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
      holds: "what a user's computer does: local hub, linked folders, runs and agents here, git, account",
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'story', 'client', 'sync', 'runner'],
      libraries: ['zod', '@napi-rs/keyring', 'ws'],
    },
    web: {
      holds: 'the app for phone and browser',
      runsIn: 'browser',
      uses: ['kit', 'protocol', 'story', 'client'],
      libraries: ['react', 'react-dom', 'virtua', 'marked', 'lowlight', 'idb', 'fflate', 'uqr'],
    },
    farhand: {
      holds: 'the one command: reads the environment, asks, prints, and puts the others together',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'story', 'client', 'sync', 'hub', 'runner', 'agents', 'device', 'web'],
      libraries: ['zod', 'commander', 'uqr', '@modelcontextprotocol/server'],
    },
    testkit: {
      holds: 'fakes, bad networks, programs to kill: what tests of several packages share',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'hub', 'runner', 'device'],
      libraries: ['esbuild', 'zod'],
    },
    e2e: {
      holds: 'journeys and drills through the whole product',
      runsIn: 'Node',
      uses: ['kit', 'protocol', 'client', 'sync', 'hub', 'runner', 'device', 'web', 'testkit'],
      libraries: ['zod', 'esbuild', 'playwright-core', 'axe-core', 'fflate'],
    },
  },

  inTests: { packages: ['testkit'], libraries: ['vitest', 'fast-check', '@modelcontextprotocol/client'] },

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
      'config',
    ],
    runs: ['access', 'log', 'blobs', 'store'],
    collab: ['runs', 'access', 'log', 'blobs', 'store'],
    channels: ['access', 'log', 'blobs', 'store'],
    schedules: ['runs', 'access', 'log', 'blobs', 'store'],
    lifecycle: ['runs', 'access', 'log', 'blobs', 'store', 'sandboxes'],
    notify: ['access', 'log', 'blobs', 'store', 'sandboxes'],
    access: ['store'],
    log: [],
    blobs: [],
    store: [],
    sandboxes: [],
    config: [],
  },
  seenByRooms: [],

  pure,
  pureNames: { 'node:net': ['BlockList', 'isIP'] },

  startsGit: ['packages/runner/src/checkpoints/git/git-process.ts', 'packages/device/src/git/run-git.ts'],

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

  it('has rooms: no folder and no file imports itself in a circle, and none holds too many source files', () => {
    const { folderCycles, fileCycles, crowdedFolders } = measuresOf(sources).all!
    expect({ folderCycles, fileCycles, crowdedFolders }).toEqual({
      folderCycles: [],
      fileCycles: [],
      crowdedFolders: [],
    })
  })

  it('is drawn as it is: `npx vitest run --project alone tools/house.test.ts -u` draws it again', async () => {
    const holds = Object.entries(house.packages).map(([name, { holds }]) => [name, holds])
    const drawing = drawingOf(sources, Object.fromEntries(holds))
    await expect(drawing).toMatchFileSnapshot('../docs/house.svg')
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
