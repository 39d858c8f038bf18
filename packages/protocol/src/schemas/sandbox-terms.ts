import { z } from 'zod'

/** A host name, `*.` before it for all below it, and a port where not only 80 and 443 are meant. */
export const AllowedHost = z
  .string()
  .max(300)
  .regex(
    /^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/,
    'expected a host like example.org, *.example.org or example.org:8080',
  )

/**
 * What a sandbox may connect to: everything, everything that is public (through the hub), nothing but its hub, or the hub and
 * a list of hosts.
 */
export const Network = z.union([
  z.enum(['full', 'public', 'none']),
  z.object({ allow: z.array(AllowedHost).min(1).max(200) }),
])
export type Network = z.infer<typeof Network>

/** As variables of an environment are called. */
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

/** What the sandboxes of a run are like. It is decided when the run is made; what is left out is the hub's to choose. */
export const SandboxTerms = z.object({
  network: Network.optional(),
  limits: SandboxLimits.optional(),
  /** What rebuilds the files that are not synced (S16), in the workspace, before the agent begins. */
  setup: z.string().min(1).max(20_000).optional(),
  /** After so long without anything of a person or the agent it may be put to sleep. */
  idleMinutes: z.number().positive().max(43_200).optional(),
  /** Secrets of the project that the run is given, as variables of its environment. */
  secrets: z.array(SecretName).max(100).optional(),
  /** A repository to begin from, if no device brings one. */
  clone: z
    .object({ url: z.url({ protocol: /^https?$/ }).max(2000), ref: z.string().min(1).max(500).optional() })
    .optional(),
  /** Repositories that are spoken to with credentials of the project, which stay outside: the beginnings of their addresses. */
  remotes: z
    .array(z.url({ protocol: /^https?$/ }).max(2000))
    .max(50)
    .optional(),
})
export type SandboxTerms = z.infer<typeof SandboxTerms>

/** The beginnings of all addresses at which git is shown credentials of the project: the one that a run begins from is one. */
export function remotesOf({ remotes = [], clone }: SandboxTerms): string[] {
  return clone ? [...remotes, clone.url] : remotes
}
