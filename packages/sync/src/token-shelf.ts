/** Where this machine keeps who its user is at each hub. */
export interface TokenShelf {
  /** Null if there is none for this hub. */
  of(url: string): string | null
  keep(url: string, token: string): void
  /** Forgets who its user is there; says whether it knew. */
  forget(url: string): boolean
  /** The hubs that there is a token for. */
  urls(): string[]
}
