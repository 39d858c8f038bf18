import { z } from 'zod'
import { pageOf } from './api.ts'
import { SecretName } from './sandbox-terms.ts'

/** `env`: an environment variable of runs that ask for it. `git`: a credential that only the hub uses, towards its remote. */
export const SecretKind = z.enum(['env', 'git'])
export type SecretKind = z.infer<typeof SecretKind>

/** How many bytes a value may have, and how many secrets a project. */
export const secretLimits = { valueBytes: 64 * 1024, perProject: 200 } as const

/** The beginning of the addresses for which a credential is used. */
const Remote = z.url({ protocol: /^https?$/ }).max(2000)

/** A secret to store: for `git` the value is the password, and `remote` is required. No answer ever contains the value. */
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
