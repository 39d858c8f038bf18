import { AllowedHost } from '@farhand/protocol/schemas/sandbox-terms'
import { z } from 'zod'

/** All settings of a hub. `--help` and the environment variables are made from the names, defaults and texts here. */
export const HubConfig = z.object({
  host: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  port: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(7717)
    .describe('port to listen on; 0 picks a free one'),
  data: z.string().min(1).default('./.farhand').describe('folder that holds the logs, files and accounts'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe(
      'what is written to standard error: debug, info, warn, error, silent; a terminal shows warnings only',
    ),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address that browsers and devices use, when it differs from the one listened on'),
  allowedHosts: z
    .array(z.string().min(1))
    .default([])
    .describe('further host names under which requests are accepted (the public one is)'),
  maxConnections: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'how many connections there may be at once; by default as many as leave files enough descriptors',
    ),
  keepAliveMs: z.coerce
    .number()
    .int()
    .min(50)
    .default(15_000)
    .describe('how long a stream may be silent before the hub sends a keep-alive comment'),
  bodyTimeoutMs: z.coerce
    .number()
    .int()
    .min(100)
    .default(30_000)
    .describe('how long the hub waits for more of a request body'),
  closeGraceMs: z.coerce
    .number()
    .int()
    .min(0)
    .default(30_000)
    .describe('how long a runner may take for its last checkpoint when its run is closed'),
  runnerAwayMs: z.coerce
    .number()
    .int()
    .min(0)
    .default(5_000)
    .describe('how long a runner may lose its connection while its run is closed before it counts as gone'),
  runnerSilentMs: z.coerce
    .number()
    .int()
    .min(0)
    .default(60_000)
    .describe('how long a runner may be silent before its sandbox counts as unhealthy and is replaced'),
  sandbox: z
    .string()
    .min(1)
    .default('auto')
    .describe(
      'sandbox of runs that do not say which: bubblewrap, process, none, or auto for the safest that works',
    ),
  allowedSandboxes: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'kinds of sandbox that runs may have, by default all that isolate; one that does not (process) is for the owner alone, and without other users by default',
    ),
  memberNetwork: z
    .enum(['full', 'public', 'listed', 'none'])
    .default('public')
    .describe(
      "the most that sandboxes of users other than the owner may reach: full (also this machine's own services), public, listed (by their run), none",
    ),
  privateHosts: z
    .array(AllowedHost)
    .default([])
    .describe(
      'private hosts that sandboxes of all users may reach if their run names them: git.internal:443',
    ),
  shareKeys: z
    .boolean()
    .default(false)
    .describe(
      "give the keys for agents in the hub's environment to the runs of all users, not the owner's alone",
    ),
  sessionHours: z.coerce
    .number()
    .min(0.1)
    .max(8_760)
    .default(24)
    .describe('how long a browser that is not used stays signed in'),
  allowHttpPasswords: z
    .boolean()
    .default(false)
    .describe(
      'also take passwords, and requests for tokens of devices, over http from other machines, where others in the network can read them',
    ),
  idleMinutes: z.coerce
    .number()
    .min(0.001)
    .max(43_200)
    .default(10)
    .describe('after how long without activity of the user or the agent a run is put to sleep'),
  maxIdleMinutes: z.coerce
    .number()
    .min(0.001)
    .max(43_200)
    .default(1_440)
    .describe('the longest idle time that a run may ask for'),
  sessionExpiryMinutes: z.coerce
    .number()
    .positive()
    .optional()
    .describe(
      'after how long without activity of the user or the agent a run expires for clients until they open it again; by default never',
    ),
  maxSandboxes: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('how many sandboxes there may be at once; by default as many as memory and cores allow'),
  maxSandboxesPerUser: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('how many of them one user may hold; by default half, or all if there is one user'),
  provisionMs: z.coerce
    .number()
    .int()
    .min(100)
    .default(5 * 60_000)
    .describe('how long starting a sandbox may take'),
  startMs: z.coerce
    .number()
    .int()
    .min(100)
    .default(2 * 60_000)
    .describe('how long its runner may then take to connect to the hub'),
  memoryMb: z.coerce
    .number()
    .int()
    .min(64)
    .default(4096)
    .describe('memory that a sandbox may use, in MB; a run may ask for less'),
  processes: z.coerce
    .number()
    .int()
    .min(16)
    .default(1024)
    .describe('processes and threads in a sandbox; a run may ask for less'),
  cpus: z.coerce
    .number()
    .min(0.1)
    .optional()
    .describe('cores that a sandbox may use, by default all; a run may ask for less'),
  diskMb: z.coerce
    .number()
    .int()
    .min(16)
    .default(4096)
    .describe('disk that a sandbox may use, in MB; a run may ask for less'),
  allowClose: z.boolean().default(true).describe('do not let clients close runs'),
  allowPrivateCalls: z
    .boolean()
    .default(false)
    .describe('also call web hooks and push services in private networks and without TLS'),
  maxBlobBytes: z.coerce
    .number()
    .int()
    .positive()
    .default(2 * 1024 ** 3)
    .describe('largest file that is accepted, in bytes'),
  secretsKey: z
    .string()
    .min(32)
    .optional()
    .meta({ secret: true })
    .describe(
      'key that encrypts the secrets of projects, at least 32 characters; by default a key file in the data folder',
    ),
  urlMs: z.coerce
    .number()
    .int()
    .min(1000)
    .default(15 * 60_000)
    .describe('how long a signed file URL is valid'),
})
export type HubConfig = z.infer<typeof HubConfig>
