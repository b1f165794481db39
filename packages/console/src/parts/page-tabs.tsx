import { Tabs } from '@mantine/core';
import { createElement, useEffect, useRef } from 'react';
import type { ComponentType } from 'react';
import { useSearchParams } from 'wouter';

/** Its value in the address, its name, and what it shows. */
export type PageTab<Props> = readonly [value: string, name: string, panel: ComponentType<Props>];

/**
 * The tabs of a page: the open one stands in the address as `?tab=`, so that a link leads to it. The first is the usual
 * one.
 */
export function PageTabs<Props extends object>({
  label,
  tabs,
  panelProps,
}: {
  label: string;
  tabs: readonly [PageTab<Props>, ...PageTab<Props>[]];
  panelProps: Props;
}) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const [usual] = tabs[0];
  const tab = tabs.some(([value]) => value === asked) ? asked : usual;
  const list = useRef<HTMLDivElement>(null);
  // On a phone the last ones lie beside the window.
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  const open = (value: string | null): void =>
    setSearch(value === null || value === usual ? {} : { tab: value }, { replace: true });
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List ref={list} mb="lg" aria-label={label} style={{ overflowX: 'auto', flexWrap: 'nowrap' }}>
        {tabs.map(([value, name]) => (
          <Tabs.Tab key={value} value={value} px={{ base: 'sm', sm: 'md' }}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([value, , panel]) => (
        <Tabs.Panel key={value} value={value}>
          {createElement(panel, panelProps)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
