/** For what can be scrolled and holds nothing to press: it has to be so with keys, too. */
export const scrollable = { tabIndex: 0, 'data-scrolls': '' } as const
