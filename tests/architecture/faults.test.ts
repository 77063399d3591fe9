/** The list of faults and the titles of tests name the same ones. */
import { expect, it } from 'vitest';
import { filesByFault, listedFaults } from '../../scripts/fault-list.ts';

it('every listed fault is named by a test, and every named one is listed', () => {
  expect([...filesByFault().keys()].sort()).toEqual([...listedFaults().keys()].sort());
});
