/** Fields of one value that stand at the top of the JSON besides name, description and image (OpenSea, ERC-7572). */
export const TOP_LEVEL_FIELDS = [
  'external_url',
  'animation_url',
  'background_color',
  'display_type',
  'external_link',
  'banner_image',
  'featured_image',
];
