import { z } from 'zod'

/** A host name, with `*.` before it for all its subdomains, and with a port for others than 80 and 443. */
export const AllowedHost = z
  .string()
  .max(300)
  .regex(
    /^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/,
    'expected a host like example.org, *.example.org or example.org:8080',
  )

/**
 * Where a sandbox may connect to: everywhere, all public addresses (through the hub), only its hub, or its hub and a list of
 * hosts.
 */
export const Network = z.union([
  z.enum(['full', 'public', 'none']),
  z.object({ allow: z.array(AllowedHost).min(1).max(200) }),
])
export type Network = z.infer<typeof Network>

/** A valid name of an environment variable. */
export const SecretName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'expected letters, digits and _')
export type SecretName = z.infer<typeof SecretName>

/** How much of its machine a sandbox may use. */
export const SandboxLimits = z.object({
  memoryMb: z.number().int().min(64).max(1_048_576).optional(),
  processes: z.number().int().min(16).max(100_000).optional(),
  cpus: z.number().min(0.1).max(1024).optional(),
  diskMb: z.number().int().min(16).max(16_777_216).optional(),
})
export type SandboxLimits = z.infer<typeof SandboxLimits>

/** The settings of a run's sandboxes, fixed when the run is created; the hub decides about the ones left out. */
export const SandboxTerms = z.object({
  network: Network.optional(),
  limits: SandboxLimits.optional(),
  /** The setup command: it makes the files that are not synced (S16), in the workspace, before the agent begins. */
  setup: z.string().min(1).max(20_000).optional(),
  /** After so long without activity of a user or the agent the hub may stop the sandbox. */
  idleMinutes: z.number().positive().max(43_200).optional(),
  /** Secrets of the project that the run gets as environment variables. */
  secrets: z.array(SecretName).max(100).optional(),
  /** A repository to begin from, if no device uploads one. */
  clone: z
    .object({ url: z.url({ protocol: /^https?$/ }).max(2000), ref: z.string().min(1).max(500).optional() })
    .optional(),
  /** The beginnings of addresses to which the hub adds git credentials of the project, which the sandbox never sees. */
  remotes: z
    .array(z.url({ protocol: /^https?$/ }).max(2000))
    .max(50)
    .optional(),
})
export type SandboxTerms = z.infer<typeof SandboxTerms>

/** The beginnings of all addresses to which the hub adds git credentials of the project, that of `clone` included. */
export function remotesOf({ remotes = [], clone }: SandboxTerms): string[] {
  return clone ? [...remotes, clone.url] : remotes
}
