import { z } from 'zod'
import { pageOf } from './api.ts'
import { SecretName } from './sandbox-terms.ts'

/** `env`: a variable of runs that ask for it. `git`: a credential that no run is given; the hub shows it to its remote. */
export const SecretKind = z.enum(['env', 'git'])
export type SecretKind = z.infer<typeof SecretKind>

/** How many bytes a value may have, and how many secrets a project. */
export const secretLimits = { valueBytes: 64 * 1024, perProject: 200 } as const

/** The beginning of the addresses that a credential is for. */
const Remote = z.url({ protocol: /^https?$/ }).max(2000)

/** What is kept: of a `git` secret the value is the password, and `remote` is needed. No answer ever has the value in it. */
export const NewSecret = z.object({
  value: z.string().min(1),
  kind: SecretKind.optional(),
  remote: Remote.optional(),
  username: z.string().max(500).optional(),
})
export type NewSecret = z.infer<typeof NewSecret>

export const ListedSecret = z.object({
  name: SecretName,
  kind: SecretKind,
  remote: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type ListedSecret = z.infer<typeof ListedSecret>

export const SecretPage = pageOf(ListedSecret)
