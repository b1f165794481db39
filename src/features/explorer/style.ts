import { BASE_STYLE, ICON } from '../html.ts';

/** The one stylesheet of the explorer. Its hash stands in the pages' Content-Security-Policy. */
export const STYLE = `${BASE_STYLE}
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
main { padding-bottom: 3rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding-bottom: 0; }
header nav { display: flex; gap: 1rem; }
header form { display: flex; flex: 1 1 16rem; gap: .5rem; }
input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .7rem; }
input { flex: 1; min-width: 0; }
input::placeholder { color: var(--quiet); opacity: 1; }
button { cursor: pointer; }
.brand { display: flex; gap: .5rem; align-items: center; font-weight: 700; color: inherit; }
.brand::before { content: ''; width: 1.6rem; height: 1.6rem; background: url(${ICON}) center / contain; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
h4 { font-size: .85rem; margin: .75rem 0 .25rem; color: var(--quiet); }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.lead { font-size: 1.15rem; margin: 0 0 1rem; }
.short { white-space: nowrap; }
.quiet { color: var(--quiet); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .75rem 1rem; margin-bottom: .75rem; }
.head { display: flex; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.head > :last-child { flex: none; }
dl { margin: 0; }
.facts > div { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
dt { color: var(--quiet); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
dd > .facts { border-left: 2px solid var(--line); padding-left: .75rem; }
.small { font-size: .9rem; }
.small > div { grid-template-columns: 9rem minmax(0, 1fr); padding: .15rem 0; border-bottom: 0; }
ol, ul { margin: 0; padding-left: 1.25rem; }
.plain { list-style: none; padding: 0; }
.plain > li { padding: .4rem 0; border-bottom: 1px solid var(--line); }
.plain > li:last-child { border-bottom: 0; }
dd .plain > li { padding: 0; border: 0; }
.tags { display: flex; flex-wrap: wrap; gap: .35rem; margin: 0 0 1rem; }
.badge { display: inline-block; border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; font-weight: 600; background: var(--line); white-space: nowrap; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.mild { color: var(--mild); background: var(--mild-ground); }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .75rem; }
.gallery figure { margin: 0; padding: .5rem; }
figure img, .none { display: block; width: 100%; aspect-ratio: 1; object-fit: contain; border-radius: .5rem; background: var(--ground); }
.none { display: grid; place-items: center; padding: 1rem; text-align: center; color: var(--quiet); font-size: .85rem; }
figcaption { font-size: .85rem; margin-top: .35rem; overflow-wrap: anywhere; }
.banner { max-width: 16rem; }
bdi { overflow-wrap: anywhere; }
@media (max-width: 38rem) {
  /* A whole address fits into one line. */
  .facts code { font-size: .78em; }
  .facts .facts code { font-size: .7em; }
  .facts > div { grid-template-columns: minmax(0, 1fr); }
  .head { flex-wrap: wrap; }
  .gallery { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
`;
