/**
 * A metadata file as collections publish it. The forms are those of real files; names, texts and addresses are made up.
 */
export type MetadataFile = Readonly<Record<string, unknown>>;

const trait = (name: string, value: unknown, more: object = {}) => ({ trait_type: name, value, ...more });
const image = 'ipfs://bafybeialiceart/1.png';
const named = { name: 'Harbour #1', description: 'Boats after sunset.', image };
const site = { external_url: 'https://harbour.example/1' };
const film = { animation_url: 'ipfs://bafybeialiceart/1.mp4' };
const moods = [trait('Mood', 'calm'), trait('Water', 'still')];

/** By what each is like. */
export const METADATA_FORMS: Readonly<Record<string, MetadataFile>> = {
  'name and picture alone': { name: 'Harbour #1', image },
  'no name, as generative drops': { description: 'Boats.', image, attributes: moods },
  'an empty description': { ...named, description: '' },
  'traits of text': { ...named, attributes: moods },
  'an empty list of traits': { ...named, attributes: [] },
  'traits of numbers': {
    ...named,
    attributes: [trait('Level', 5), trait('Weight', 1.25), trait('Depth', -3)],
  },
  'traits of booleans': { ...named, attributes: [trait('Lit', true), trait('Open', false)] },
  'traits that are null': { ...named, attributes: [trait('Flag', null), trait('Mood', 'calm')] },
  'a number as text': { ...named, attributes: [trait('Edition', '007'), trait('Share', '0.10')] },
  'display types inside traits': {
    ...named,
    attributes: [
      trait('Power', 40, { display_type: 'boost_number' }),
      trait('Stamina', 10, { display_type: 'boost_percentage', max_value: 100 }),
      trait('Birthday', 1_546_360_800, { display_type: 'date' }),
    ],
  },
  'a display type at the top': { ...named, display_type: 'art', attributes: moods },
  'an external URL': { ...named, ...site, attributes: moods },
  'an animation': { ...named, ...film, attributes: moods },
  'an HTML animation as a data URI': { ...named, animation_url: 'data:text/html;base64,PGI+SGk8L2I+' },
  'a background colour': { ...named, background_color: '0b3d91', attributes: moods },
  'a background colour with a hash': { ...named, background_color: '#0B3D91' },
  'a YouTube address': { ...named, youtube_url: 'https://youtube.example/watch?v=abc' },
  'all that a marketplace documents': {
    ...named,
    ...site,
    ...film,
    background_color: 'FFFFFF',
    youtube_url: 'https://youtube.example/watch?v=abc',
    attributes: moods,
  },
  'image_data beside image': { ...named, image_data: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  'image_url beside image': {
    ...named,
    image_url: 'https://harbour.example/1.png',
    image_details: { width: 9 },
  },
  'properties of a launchpad': {
    ...named,
    symbol: 'HARB',
    seller_fee_basis_points: 500,
    properties: { category: 'image', files: [{ uri: image, type: 'image/png' }], creators: [{ share: 100 }] },
    attributes: moods,
  },
  'rich properties of ERC-1155': {
    ...named,
    properties: {
      mood: 'calm',
      rich: { name: 'Depth', value: '3', display_value: '3 m', class: 'emphasis' },
    },
  },
  'a JSON schema of ERC-721': {
    title: 'Asset Metadata',
    type: 'object',
    properties: { name: { type: 'string', description: 'Identifies the asset' } },
  },
  'localised files of ERC-1155': {
    ...named,
    localization: { uri: 'ipfs://bafybeialiceart/{locale}.json', default: 'en', locales: ['en', 'de'] },
  },
  'decimals of ERC-1155': { ...named, decimals: 0 },
  'traits as a list of names': { ...named, traits: moods },
  'traits as an object': { ...named, attributes: { Mood: 'calm', Level: 5, Lit: true } },
  'a date and an edition of an engine': {
    ...named,
    dna: 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
    edition: 1,
    date: 1_640_995_200_000,
    compiler: 'An Art Engine',
    attributes: moods,
  },
  'a name service': {
    ...named,
    is_normalized: true,
    name_length: 7,
    segment_length: 7,
    background_image: 'https://harbour.example/bg.png',
    attributes: [trait('Created Date', 1_580_803_395_000, { display_type: 'date' }), trait('Length', 7)],
  },
  'a position in a pool': {
    name: 'Pool - 0.3% - HARB/BOAT - 0.5<>2.0',
    description: 'This NFT represents a position.\\n\\n⚠️ DISCLAIMER: "Due diligence" is imperative.',
    image: 'https://harbour.example/position.svg',
  },
  'drawn on the chain, with an artist': {
    ...named,
    artist: 'Alice',
    aspect_ratio: 1.5,
    collection_name: 'Harbour',
    license: 'CC BY-NC 4.0',
    script_type: 'p5js',
    website: 'https://harbour.example',
    royaltyInfo: { artistAddress: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', royaltyFeeByID: 5 },
  },
  'a media object': {
    ...named,
    media: { uri: image, dimensions: '3000x3000', size: '1234567', mimeType: 'image/png' },
  },
  'a ticket': {
    ...named,
    ...site,
    attributes: [
      trait('Event Date', '2026-12-31T20:00:00Z'),
      trait('Seat', 'Ü 12 – «left»'),
      trait('Price', '€ 25,50'),
    ],
  },
  'names in other scripts and emoji': {
    name: '港 ⛵️ #1',
    description: 'Ελληνικά, עברית, 中文',
    image,
    attributes: [trait('心情', '静か'), trait('⚓️', '👩‍👩‍👧‍👦')],
  },
  'a contract of a marketplace': {
    ...named,
    banner_image: 'ipfs://bafybeialiceart/banner.png',
    featured_image: 'ipfs://bafybeialiceart/featured.png',
    external_link: 'https://harbour.example',
    collaborators: [
      '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2',
      '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501',
    ],
  },
  'a contract with a fee': {
    ...named,
    external_link: 'https://harbour.example',
    seller_fee_basis_points: 100,
    fee_recipient: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2',
  },
};

type Value = string | number | boolean;
interface Input {
  name: string;
  description: string;
  image?: string;
  attributes: Record<string, Value>;
}

function toValue(given: unknown): Value {
  if (typeof given === 'number' || typeof given === 'boolean' || typeof given === 'string') return given;
  return Array.isArray(given) ? given.join(' ') : JSON.stringify(given);
}

const isTrait = (given: unknown): given is { trait_type: string; value: unknown } =>
  typeof given === 'object' && given !== null && 'trait_type' in given;

/** The file as a caller of the service sends it: traits by their names, and all that is no field as an attribute. */
export function toMetadataInput({ name, description, image: uri, ...rest }: MetadataFile): Input {
  const attributes: Record<string, Value> = {};
  for (const [key, given] of Object.entries(rest)) {
    if (Array.isArray(given) && given.every(isTrait))
      for (const { trait_type, value } of given) attributes[trait_type] = toValue(value);
    else if (key === 'attributes') Object.assign(attributes, given);
    else attributes[key] = toValue(given);
  }
  return {
    name: typeof name === 'string' ? name : 'Untitled',
    description: typeof description === 'string' ? description : '',
    ...(typeof uri === 'string' && { image: uri }),
    attributes,
  };
}
